"""A store and a ledger in a few dicts: an executable form of the contract, for tests only.

They write nothing to disk and rank by shared words, so that their correctness is obvious. The conformance suites
compare other stores with them, and core's own tests run on them, without any backend. All values pass through JSON
once, as they would with a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from pydantic import JsonValue

from ..containers import Container, character_container
from ..errors import unknown
from ..filters import EVERYTHING, Filter, matches
from ..ids import own_key
from ..records.backends import Health
from ..records.base import Record
from ..records.journal import Appended, Body, Entry, NewEntry
from ..records.memory import Hit, Memory
from ..records.message import SettledMessage
from ..records.plan import Delivery, Plan, Restoration, Status, Withdrawal
from ..records.snapshot import Snapshot
from ..words import coverage
from .register import MemoryRegister

R = TypeVar("R", bound=Record)


def kept(record: R) -> R:
    """The record as a file would give it back. Raises `PydanticSerializationError` for what JSON cannot hold."""
    return type(record).model_validate_json(record.model_dump_json())


# ── memories ────────────────────────────────────────────────────────────────────────────────────────────────────────


class MemoryStore:
    """A `Store` for tests: one dict for each container. It keeps its content when closed and opened again."""

    def __init__(self) -> None:
        self._containers: dict[str, dict[str, Memory]] = {}

    async def open(self) -> None:
        """Nothing to do."""

    async def close(self) -> None:
        """Nothing to do."""

    async def put(self, memories: Sequence[Memory]) -> None:
        """Write or replace. All are checked before the first is written."""
        for memory in [kept(memory) for memory in memories]:
            self._containers.setdefault(memory.container, {})[memory.id] = memory

    async def remove(self, ids: Mapping[str, Sequence[str]]) -> None:
        """Remove memories, given as container name → ids."""
        for container, unwanted in ids.items():
            for id in unwanted:
                self._containers.get(container, {}).pop(id, None)

    async def get(self, container: str, ids: Sequence[str]) -> Sequence[Memory]:
        """The memories that exist, in the order asked."""
        memories = self._containers.get(container, {})
        return [memories[id] for id in ids if id in memories]

    async def list(
        self, container: str, *, filter: Filter = EVERYTHING, limit: int | None = None, offset: int = 0
    ) -> Sequence[Memory]:
        """Memories in the order they were first written: replacing a value keeps a dict's order."""
        end = None if limit is None else offset + limit
        return self._holding(container, filter)[offset:end]

    async def search(
        self, container: str, query: str, *, filter: Filter = EVERYTHING, limit: int = 10
    ) -> Sequence[Hit]:
        """Every memory that matches the filter, ranked by the share of the query's words it has."""
        scored = [(coverage(query, memory.content), memory) for memory in self._holding(container, filter)]
        best = sorted(scored, key=lambda pair: (-pair[0], pair[1].id))[:limit]
        return [Hit(memory=memory, score=score, parts={"words": score}) for score, memory in best]

    async def count(self, container: str) -> int:
        """How many memories the container holds."""
        return len(self._containers.get(container, {}))

    async def drop(self, container: str) -> None:
        """Remove the container and everything in it."""
        self._containers.pop(container, None)

    async def health(self) -> Health:
        """Always healthy."""
        return Health(ok=True, details={"containers": len(self._containers)})

    def _holding(self, container: str, filter: Filter) -> Sequence[Memory]:
        return [memory for memory in self._containers.get(container, {}).values() if matches(filter, memory.metadata)]


# ── stories ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass
class Book:
    """The ledger's content for one session. A session created with a past, such as a fork, counts on from there."""

    snapshot: Snapshot
    began: int = 0
    entries: dict[int, Entry] = field(default_factory=dict)
    plans: dict[int, Plan] = field(default_factory=dict)
    deliveries: dict[str, Delivery] = field(default_factory=dict)
    messages: dict[str, SettledMessage] = field(default_factory=dict)
    data: dict[str, dict[str, JsonValue]] = field(default_factory=dict)

    def change(self, id: str, status: Status, reason: str | None = None) -> None:
        """Give a delivery another status."""
        delivery = self.deliveries[id]
        self.deliveries[id] = delivery.model_copy(update={"status": status, "reason": reason or delivery.reason})

    def forget_container(self, container: str, up_to: int | None = None) -> None:
        """Remove deliveries to a container; those that were not yet due are struck."""
        for id, delivery in list(self.deliveries.items()):
            if delivery.container != container or (up_to is not None and delivery.sequence > up_to):
                continue
            if delivery.status == "pending":
                self.change(id, "struck", "forgotten")
            else:
                del self.deliveries[id]

    def write(self, plugin: str, key: str, value: JsonValue) -> None:
        """Keep a plugin's value; `None` removes it."""
        if value is None:
            self.data.get(plugin, {}).pop(key, None)
        else:
            self.data.setdefault(plugin, {})[key] = value

    def withdraw(self, withdrawal: Withdrawal) -> None:
        """Withdraw the named deliveries that are still kept."""
        for id in withdrawal.removes.keys() & self.deliveries.keys():
            if self.deliveries[id].is_kept:
                self.change(id, withdrawal.status, withdrawal.reason)

    def restore(self, restoration: Restoration) -> None:
        """Make archived deliveries pending again."""
        for id in restoration.restores.keys() & self.deliveries.keys():
            if self.deliveries[id].status == "archived":
                self.deliveries[id] = self.deliveries[id].model_copy(update={"status": "pending", "reason": None})

    def _set_aside(self, id: str) -> None:
        """Keep what was struck for a forgotten character, in its place, while the same is delivered anew."""
        old = f"{id} of {self.deliveries[id].sequence}"
        self.deliveries = {(old if key == id else key): each for key, each in self.deliveries.items()}

    def record(self, plan: Plan, after: Snapshot) -> None:
        """Apply the changes of a plan. Removals come first, so the plan's own deliveries stay."""
        self.plans[plan.sequence] = plan
        for withdrawal in plan.withdrawals:
            self.withdraw(withdrawal)
        for restoration in plan.restorations:
            self.restore(restoration)
        for delivery in plan.deliveries:
            if delivery.id in self.deliveries and was_forgotten(self.deliveries[delivery.id]):
                self._set_aside(delivery.id)
            self.deliveries.setdefault(delivery.id, delivery)
        if plan.message is not None:
            self.messages[plan.message.message.key] = plan.message
        for write in plan.plugin_data:
            self.write(write.plugin, write.key, write.value)
        if self.snapshot.decided < plan.sequence:
            self.snapshot = after


def live(delivery: Delivery) -> bool:
    """Whether the delivery supports its memory, now or later."""
    return delivery.status in {"pending", "applied"}


def was_forgotten(delivery: Delivery) -> bool:
    """Whether it was due to a forgotten character; a newcomer under that id may be told the same again."""
    return (delivery.status, delivery.reason) == ("struck", "forgotten")


class MemoryLedger(MemoryRegister):
    """A `Ledger` for tests: one `Book` for each session. It keeps its content when closed and opened again."""

    def __init__(self) -> None:
        super().__init__()
        self._books: dict[str, Book] = {}

    async def open(self) -> None:
        """Nothing to do."""

    async def close(self) -> None:
        """Nothing to do."""

    async def create(self, snapshot: Snapshot, containers: Sequence[Container]) -> Snapshot:
        """Create a session with its containers, or return the one that exists."""
        if snapshot.id not in self._books:
            self._claim(containers)
            self._books[snapshot.id] = Book(kept(snapshot), began=snapshot.decided)
        return self._books[snapshot.id].snapshot

    async def load(self, session: str) -> Snapshot | None:
        """The session as of the last entry whose plan is recorded."""
        return self._books[session].snapshot if session in self._books else None

    async def decided(self, session: str) -> int | None:
        """Sequence number of the last entry whose plan is recorded; `None` for an unknown session."""
        return self._books[session].snapshot.decided if session in self._books else None

    async def sessions(self) -> Sequence[str]:
        """All session ids, sorted."""
        return sorted(self._books)

    async def forget(self, session: str) -> None:
        """Remove the session."""
        self._books.pop(session, None)
        self._release(lambda container: container.session == session)

    async def forget_owner(self, session: str, owner: str, *, up_to: int | None = None) -> None:
        """Remove a character's deliveries. Those not yet due stay as struck, and no resumed plan delivers them."""
        book, container = self._read(session), character_container(session, owner)
        book.forget_container(container.name, up_to)
        if up_to is None or owner not in book.snapshot.cast:
            self._release(lambda each: each == container)

    async def forget_container(self, name: str) -> None:
        """As `forget_owner`, for every session."""
        for book in self._books.values():
            book.forget_container(name)
        self._release(lambda each: each.name == name)

    async def append(self, session: str, body: Body, *, key: str | None = None, timestamp: str) -> Appended:
        """The next entry of the session, or the one that has this key."""
        book = self._book(session)
        if key is not None and (found := await self.entry(session, key=key)):
            return Appended(entry=found, created=False)
        sequence = max(book.entries, default=book.began) + 1
        entry = Entry(
            session=session, sequence=sequence, key=key or own_key(sequence), body=kept(body), timestamp=timestamp
        )
        book.entries[sequence] = entry
        return Appended(entry=entry, created=True)

    async def append_all(self, session: str, new: Sequence[NewEntry]) -> Sequence[Appended]:
        """Append one after the other. `kept` refuses values that cannot be stored before anything is written."""
        self._book(session)
        for each in new:
            kept(each)
        return [await self.append(session, each.body, key=each.key, timestamp=each.timestamp) for each in new]

    async def entry(self, session: str, *, sequence: int | None = None, key: str | None = None) -> Entry | None:
        """One entry by sequence number or key."""
        entries = self._read(session).entries.values()
        return next((entry for entry in entries if sequence == entry.sequence or key == entry.key), None)

    async def entries(
        self,
        session: str,
        *,
        after: int = 0,
        up_to: int | None = None,
        unapplied: bool = False,
        limit: int | None = None,
    ) -> Sequence[Entry]:
        """Entries in sequence order."""

        def asked(entry: Entry) -> bool:
            in_range = entry.sequence > after and (up_to is None or entry.sequence <= up_to)
            return in_range and not (unapplied and entry.applied)

        return list(filter(asked, self._read(session).entries.values()))[:limit]

    async def record(self, plan: Plan, after: Snapshot) -> Plan:
        """Record the plan with everything in it, unless the entry already has one."""
        book = self._book(plan.session)
        if plan.sequence not in book.plans:
            book.record(kept(plan), kept(after))
        return book.plans[plan.sequence]

    async def plan(self, session: str, sequence: int) -> Plan | None:
        """The recorded plan of an entry."""
        return self._read(session).plans.get(sequence)

    async def plans(self, session: str, *, up_to: int | None = None) -> Sequence[Plan]:
        """Recorded plans in sequence order."""
        recorded = sorted(self._read(session).plans.items())
        return [plan for sequence, plan in recorded if up_to is None or sequence <= up_to]

    async def waiting(self, container: str) -> Sequence[str]:
        """Sessions with a recorded plan that is not applied yet, whatever it changes."""
        books = sorted(self._books.items())
        return [id for id, book in books if any(not book.entries[each].applied for each in book.plans)]

    async def sync(self) -> None:
        """Nothing to do."""

    async def acknowledge(self, session: str, sequences: Sequence[int], deliveries: Sequence[str]) -> None:
        """Mark entries and pending deliveries as applied; struck and withdrawn ones keep their status."""
        book = self._book(session)
        for sequence in book.entries.keys() & set(sequences):
            book.entries[sequence] = book.entries[sequence].model_copy(update={"applied": True})
        for id in deliveries:
            if id in book.deliveries and book.deliveries[id].status == "pending":
                book.change(id, "applied")

    async def deliveries(
        self,
        session: str,
        *,
        memory_ids: Sequence[str] | None = None,
        sources: Sequence[str] | None = None,
        container: str | None = None,
        via: Sequence[str] | None = None,
        rests_on: Sequence[str] | None = None,
        derived: bool = False,
        status: Status | None = None,
        due_by: float | None = None,
        after: int = 0,
        types: Sequence[str] | None = None,
        limit: int | None = None,
    ) -> Sequence[Delivery]:
        """Deliveries that meet all conditions. An empty list of ids matches nothing."""

        def asked(delivery: Delivery) -> bool:
            return (
                _among(delivery.memory_id, memory_ids)
                and _among(delivery.source, sources)
                and _among(delivery.support.via, via)
                and (delivery.is_derived or not derived)
                and (rests_on is None or not set(rests_on).isdisjoint(delivery.rests_on))
                and _among(delivery.metadata.get("type"), types)
                and container in {None, delivery.container}
                and status in {None, delivery.status}
                and (due_by is None or delivery.due <= due_by)
                and delivery.sequence > after
            )

        found = filter(asked, self._read(session).deliveries.values())
        return sorted(found, key=lambda delivery: (delivery.due, delivery.sequence))[:limit]

    async def citing(self, session: str, memory_ids: Sequence[str]) -> Sequence[str]:
        """Ids of memories with a live delivery whose knowledge cites one of these."""
        cited = set(memory_ids)
        return _unique(
            delivery.memory_id
            for delivery in self._read(session).deliveries.values()
            if live(delivery) and any(cited.intersection(line.cites) for line in delivery.knowledge)
        )

    async def messages(
        self, session: str, *, before: int | None = None, keys: Sequence[str] | None = None, limit: int | None = None
    ) -> Sequence[SettledMessage]:
        """Messages as last settled, oldest first."""
        asked = [
            settled
            for settled in self._read(session).messages.values()
            if _among(settled.message.key, keys) and (before is None or settled.message.sequence < before)
        ]
        asked.sort(key=lambda settled: settled.message.sequence)
        return asked if limit is None else asked[max(0, len(asked) - limit) :]

    async def data(self, session: str, plugin: str) -> dict[str, JsonValue]:
        """All data of this plugin for this session."""
        return dict(self._read(session).data.get(plugin, {}))

    async def data_owners(self, session: str) -> Sequence[str]:
        """Names of the plugins that keep something for this session."""
        return sorted(plugin for plugin, values in self._read(session).data.items() if values)

    async def write_data(self, session: str, plugin: str, values: Mapping[str, JsonValue]) -> None:
        """Keep values; `None` removes a key."""
        for key, value in values.items():
            self._book(session).write(plugin, key, value)

    async def health(self) -> Health:
        """Always healthy."""
        return Health(ok=True, details={"sessions": len(self._books), "containers": len(self._containers)})

    def _book(self, session: str) -> Book:
        if session not in self._books:
            raise unknown("session", session, self._books)
        return self._books[session]

    def _read(self, session: str) -> Book:
        return self._books.get(session) or Book(Snapshot(id=session))


def _among(value: object, wanted: Sequence[str] | None) -> bool:
    return wanted is None or value in wanted


def _unique(ids: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(ids))
