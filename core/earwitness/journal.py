"""The journal as one handle writes it: durable on return; what is told again under its key changes nothing."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from .clock import now
from .end.applier import Applier
from .end.decider import Decider
from .end.revise import settled_message
from .engine import Engine
from .errors import InputError, KeyConflict, UnknownName
from .formats import as_said
from .ids import check_key
from .live import Live
from .outcome import Outcome
from .records.journal import Appended, Body, Entry, NewEntry, Revised, Said
from .records.message import SettledMessage
from .validation.messages import named_in
from .validation.records import keepable


class Journal:
    """Appends one session's entries, and wakes the decider."""

    def __init__(self, engine: Engine, live: Live, decider: Decider, applier: Applier) -> None:
        self._ledger = engine.ledger
        self._live = live
        self._decider = decider
        self._applier = applier

    async def append(self, body: Body, key: str | None) -> Outcome:
        """Append one entry. Raises as `append_all`."""
        (outcome,) = await self.append_all([new_entry(body, key)])
        return outcome

    async def append_all(self, told: Sequence[NewEntry]) -> list[Outcome]:
        """Append several entries in this order, durable all or none.

        A key that is there already is answered with its first outcome: the ledger writes nothing for it. Raises
        `KeyConflict` where it stands for something else, `UnknownName` for somebody who was forgotten meanwhile.
        """
        self._decider.check()
        if not told:
            return []
        if await self._decider.staleness.check():
            await self._still_there({id for each in told for id in named_in(each.body)})
        appended = await self._ledger.append_all(self._live.snapshot.id, told)
        outcomes = [self._outcome(each) for each in appended]
        self._decider.told(each.entry for each in appended if each.created)
        self._decider.wake()
        for given, found in zip(told, appended, strict=True):
            if not found.created:
                await self.refuse_other(found.entry, given.body)
        return outcomes

    def outcome(self, entry: Entry) -> Outcome:
        """What became of an entry that was told before."""
        return self._outcome(Appended(entry=entry, created=False))

    def _outcome(self, appended: Appended) -> Outcome:
        entry, created = appended.entry, appended.created
        self._decider.staleness.note(entry)
        return Outcome(entry, self._decider.plan_of(entry.sequence, new=created), self._applier, created=created)

    async def entry_for_key(self, key: str | None) -> Entry | None:
        """The entry with this key, when it was told before: telling it again is fine whatever has happened since."""
        return None if key is None else await self._ledger.entry(self._live.snapshot.id, key=check_key(key))

    async def refuse_conflict(self, key: str, first: Body, body: Body) -> None:
        """Raises `KeyConflict` for a key that stands for something else, among those told now or in the journal."""
        if first != body:
            raise conflict(key, first, body)
        if (entry := await self._ledger.entry(self._live.snapshot.id, key=key)) is not None:
            await self.refuse_other(entry, body)

    async def refuse_other(self, entry: Entry, body: Body) -> None:
        """Raises `KeyConflict` unless the body is what the entry told: as first said, or as it was revised to."""
        if _as_kept(entry.body) == _as_kept(body):
            return
        told = _as_told_today(entry.body)
        if _as_kept(told) != _as_kept(body) and not await self._revised_to(entry.key, told, body):
            raise conflict(entry.key, entry.body, body)

    async def revisable(self, key: str) -> SettledMessage:
        """The message with this key. Raises `UnknownName` where there is none, `InputError` for a retracted one."""
        await self._decider.caught_up()
        session = self._live.snapshot.id
        current = await settled_message(self._ledger, session, key)
        if current is None:
            raise UnknownName(
                f"no message has the key {key!r} in session {session!r}: `inspect` lists the keys there are."
            )
        if current.retracted:
            raise InputError(f"message {key!r} was retracted. Say it again under another key.")
        return current

    async def _still_there(self, named: Collection[str]) -> None:
        """Raises `UnknownName` for one of these whom another process has forgotten."""
        there = await self._ledger.load(self._live.snapshot.id)
        if there is None or not all(id in there.cast for id in named):
            await self._decider.caught_up()
            for id in named:
                self._live.snapshot.cast.named(id)

    async def _revised_to(self, key: str, told: Body, body: Body) -> bool:
        if not isinstance(told, Said) or not isinstance(body, Said) or told.speaker != body.speaker:
            return False
        if told.content == body.content:
            return True
        current = await settled_message(self._ledger, self._live.snapshot.id, key)
        return current is not None and current.message.content == body.content


def _as_kept(body: Body) -> dict[str, object]:
    return body.model_dump(mode="json")  # a tuple is a list


def _as_told_today(body: Body) -> Body:
    """Earlier versions kept a model's reasoning in what was said."""
    if not isinstance(body, Said | Revised):
        return body
    return body.model_copy(update={"content": as_said(body.content)})


def new_entry(body: Body, key: str | None) -> NewEntry:
    """What is appended to the journal. Raises `InvalidId`, and `InputError` for what cannot be kept."""
    return NewEntry(body=keepable(body), key=None if key is None else check_key(key), timestamp=now())


def conflict(key: str, told: Body, body: Body) -> KeyConflict:
    """A key stands for one thing, and was given with another."""
    return KeyConflict(
        f"key {key!r} already stands for {_short(told)}, not {_short(body)}. "
        "To change a message, call edit() or reroll(); for a new one, choose another key."
    )


def _short(body: Body) -> str:
    if isinstance(body, Said):
        text = f"{body.speaker}: {body.content}"
    else:
        text = f"{body.kind} {body.model_dump(exclude_defaults=True)}"
    return repr(text if len(text) <= 60 else text[:57] + "…")
