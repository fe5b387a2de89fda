"""Steps of a story, as values, so that the same ones can be applied to a ledger and a model and compared.

Import it only where a property is tried: it needs hypothesis.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from ..containers import character_container, world_container
from ..end.withdrawals import of_memory, of_source
from ..protocols import Ledger
from ..records.plan import Delivery, PluginWrite, Withdrawal
from ..records.snapshot import Snapshot
from .samples import NOON, delivery, plan, said, settled

SESSIONS = ("s1", "s1-x", "s2")
OWNERS = ("alice", "bob", "x-world", "world")
MEMORIES = ("m1", "m2", "m3", "m4", "m5")


@dataclass(frozen=True)
class Step:
    """A step in one session. The base class only creates the session."""

    session: str

    async def on(self, ledger: Ledger, prefix: str) -> None:
        """Carry it out, in the session with this name after the prefix."""
        id = prefix + self.session
        await ledger.create(Snapshot(id=id), [character_container(id, "alice"), world_container(id)])


@dataclass(frozen=True)
class Append(Step):
    """The host appends an entry, perhaps under a key it has used before."""

    key: str | None

    async def on(self, ledger: Ledger, prefix: str) -> None:
        """Append it; create the session if it is unknown."""
        await super().on(ledger, prefix)
        await ledger.append(prefix + self.session, said(), key=self.key, timestamp=NOON)


@dataclass(frozen=True)
class Brought:
    """A delivery of a plan."""

    memory: str
    owner: str
    via: str | None
    rests_on: tuple[str, ...]
    source: str
    due: float

    def delivery(self, session: str, sequence: int) -> Delivery:
        """The delivery, in a plan of this session."""
        return delivery(
            self.memory,
            session=session,
            sequence=sequence,
            owner=self.owner,
            source=self.source,
            via=self.via,
            due=self.due,
            rests_on=self.rests_on,
        )


@dataclass(frozen=True)
class StoryBuilder(Append):
    """Append and plan the next entry; `again` plans the last one once more instead."""

    brought: tuple[Brought, ...]
    taken: tuple[tuple[str | None, str | None], ...]
    applied: bool
    again: bool

    async def on(self, ledger: Ledger, prefix: str) -> None:
        """Append, record, acknowledge."""
        await super().on(ledger, prefix)
        id = prefix + self.session
        before = await ledger.load(id) or Snapshot(id=id)
        sequence = max(1, before.decided + (not self.again))
        taken = {memory for _, memory in self.taken}
        made = [one.delivery(id, sequence) for one in self.brought if one.memory not in taken]
        planned = plan(
            sequence,
            *made,
            session=id,
            message=settled(f"k{sequence % 3}", sequence, f"words of {sequence}"),
            withdrawals=[await _withdrawal(ledger, id, *one) for one in self.taken],
            plugin_data=(PluginWrite(plugin="diary", key=f"k{sequence % 3}", value=sequence or None),),
            news_seen={"alice": sequence},
        )
        await ledger.record(planned, before.after(planned))
        await ledger.acknowledge(id, [sequence], [one.id for one in made] if self.applied else [])


async def _withdrawal(ledger: Ledger, session: str, source: str | None, memory: str | None) -> Withdrawal:
    if source is not None:
        return await of_source(ledger, session, source, "taken back")
    return await of_memory(ledger, session, memory or "", "taken back")


@dataclass(frozen=True)
class Forget(Step):
    """Forget the session."""

    async def on(self, ledger: Ledger, prefix: str) -> None:
        """Forget it."""
        await ledger.forget(prefix + self.session)


async def view(ledger: Ledger, session: str) -> dict[str, Any]:
    """Everything that can be read of a session."""
    plans = await ledger.plans(session)
    return {
        "session": await ledger.load(session),
        "containers": {held.name: held for held in await ledger.containers(session)},
        "entries": list(await ledger.entries(session)),
        "plans": [(found.sequence, [made.id for made in found.deliveries]) for found in plans],
        "deliveries": list(await ledger.deliveries(session)),
        "messages": list(await ledger.messages(session)),
        "data": await ledger.data(session, "diary"),
    }


_sessions = st.sampled_from(SESSIONS)
_keys = st.one_of(st.none(), st.sampled_from(("k1", "k2")))
_sources = st.sampled_from(("#1", "#2", "k1"))
_memories = st.sampled_from(MEMORIES)
_brought = st.builds(
    Brought,
    memory=_memories,
    owner=st.sampled_from(OWNERS),
    via=st.one_of(st.none(), _memories),
    rests_on=st.one_of(st.just(()), st.lists(_memories, max_size=2).map(tuple)),
    source=_sources,
    due=st.sampled_from((1, 2.5)),
)
_taken = st.one_of(st.tuples(_sources, st.none()), st.tuples(st.none(), _memories))
_records = st.builds(
    StoryBuilder,
    session=_sessions,
    key=st.none(),
    brought=st.lists(_brought, max_size=5).map(tuple),
    taken=st.lists(_taken, max_size=1).map(tuple),
    applied=st.booleans(),
    again=st.booleans(),
)

steps: st.SearchStrategy[Step] = st.one_of(
    _records, _records, _records, st.builds(Append, session=_sessions, key=_keys), st.builds(Forget, session=_sessions)
)
"""Any step, in sessions whose names overlap."""
