"""The journal as one handle writes it. Entries are durable on return; repeating a key changes nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress

from . import by_hand
from .clock import now
from .containers import Container, character_container
from .end.applier import Applier
from .end.decider import Decider
from .end.preparation import earlier_preparation
from .end.revise import settled_message
from .end.withdrawals import earlier_retraction
from .engine import Engine
from .errors import InputError, KeyConflict, StorageError, UnknownName, quoted
from .formats import as_said
from .ids import check_key, check_session_id, check_visible, with_invisible
from .live import Live
from .memory_entries import check_memories
from .outcome import Outcome
from .places import destination, holders
from .records.journal import (
    Appended,
    Archived,
    Body,
    Changed,
    Derived,
    Entry,
    NewEntry,
    Prepared,
    Retracted,
    Revised,
    Said,
    Transferred,
)
from .records.message import SettledMessage
from .validation.arguments import LARGEST, text
from .validation.messages import named_in, refuse_revision
from .validation.records import checked, keepable


class Journal:
    """Appends one session's entries, and wakes the decider."""

    def __init__(self, engine: Engine, live: Live, decider: Decider, applier: Applier) -> None:
        self._engine = engine
        self._ledger = engine.ledger
        self._foreground = engine.foreground
        self._live = live
        self._decider = decider
        self._applier = applier

    async def register(self, containers: Sequence[Container]) -> None:
        """Claim containers for the session. Raises `ContainerCollision`."""
        self._decider.check()
        await self._ledger.register(containers)

    async def append(self, body: Body, key: str | None) -> Outcome:
        """Append one entry. Raises as `append_all`."""
        (outcome,) = await self.append_all([new_entry(body, key)])
        return outcome

    async def append_all(self, new: Sequence[NewEntry]) -> list[Outcome]:
        """Append several entries in this order, all or none; they are durable on return.

        An existing key is answered with its first outcome, and the ledger writes nothing for it. Raises `KeyConflict`
        if the key belongs to something else, `UnknownName` for a character who was forgotten meanwhile, `InvalidId` for
        a new key that cannot be seen whole.
        """
        self._decider.check()
        if not new:
            return []
        await self._check_keys(new)
        if await self._decider.staleness.check():
            await self._still_there({id for each in new for id in named_in(each.body)})
        with self._foreground.going_on():
            appended = await self._ledger.append_all(self._live.snapshot.id, new)
        outcomes = [self._outcome(each) for each in appended]
        self._decider.accept(each.entry for each in appended if each.created)
        self._decider.wake()
        for given, found in zip(new, appended, strict=True):
            if not found.created:
                await self.refuse_other(found.entry, given.body)
        return outcomes

    async def _check_keys(self, new: Sequence[NewEntry]) -> None:
        """Raise `InvalidId` for a new key with an invisible character; entries of older versions may have one."""
        for key in with_invisible(each.key for each in new if each.key is not None):
            if await self._ledger.entry(self._live.snapshot.id, key=key) is None:
                check_visible("message key", key)

    def outcome(self, entry: Entry) -> Outcome:
        """The outcome of an entry that was appended before."""
        return self._outcome(Appended(entry=entry, created=False))

    def _outcome(self, appended: Appended) -> Outcome:
        entry, created = appended.entry, appended.created
        self._decider.staleness.note(entry)
        return Outcome(entry, self._decider.plan_of(entry.sequence, new=created), self._applier, created=created)

    async def entry_for_key(self, key: str | None) -> Entry | None:
        """The entry with this key, if there is one. Repeating it is fine whatever has happened since."""
        if key is None:
            return None
        self._decider.check()
        return await self._ledger.entry(self._live.snapshot.id, key=check_key(key))

    async def entry(self, key: str) -> Entry:
        """The entry with this key, the host's or Earwitness's own. Raises `UnknownName`."""
        self._decider.check()
        await self._decider.staleness.check()
        session = self._live.snapshot.id
        found = await self._ledger.entry(session, key=text("key", key))
        if found is None:
            raise UnknownName(
                f"unknown key {key!r} in session {session!r}: no call has it. `messages()` and `earwitness inspect` "
                "list keys, and `has(key)` says whether there is one."
            )
        return found

    async def point(self, key: str) -> Entry:
        """The message or change with this key, as a point of the story. Raises `UnknownName`, and `InputError` for an
        edit, a reroll or a retraction."""
        entry = await self.entry(key)
        if isinstance(entry.body, Revised | Retracted):
            refuse_revision(entry)
        return entry

    async def refuse_conflict(self, key: str, first: Body, body: Body) -> None:
        """Raises `KeyConflict` if the key belongs to something else, among the new entries or in the journal."""
        if first != body:
            raise conflict(key, first, body)
        self._decider.check()
        if (entry := await self._ledger.entry(self._live.snapshot.id, key=key)) is not None:
            await self.refuse_other(entry, body)

    async def refuse_other(self, entry: Entry, body: Body) -> None:
        """Raises `KeyConflict` unless the body is that of the entry, as first said or as it was revised."""
        if _as_kept(entry.body) == _as_kept(body):
            return
        kept = _as_kept_today(entry.body)
        if _as_kept(kept) != _as_kept(body) and not await self._revised_to(entry.key, kept, body):
            raise conflict(entry.key, entry.body, body)

    async def revisable(self, key: str) -> SettledMessage:
        """The message with this key. Raises `UnknownName` if there is none, `InputError` for a retracted one."""
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

    async def revise(self, body: Revised, own_key: str | None) -> Outcome:
        """Append an edit or reroll, or return the earlier entry if the message reads so already. Raises as `append`."""
        if own_key is None and (before := await self._reads_so(body)):
            return self.outcome(before)
        return await self.append(body, own_key)

    async def _reads_so(self, body: Revised) -> Entry | None:
        """The entry that gave the message this text, if nothing else is revised. Perhaps it was said so."""
        if body != Revised(target=body.target, content=body.content, reroll=body.reroll, metadata=body.metadata):
            return None
        session = self._live.snapshot.id
        current = await settled_message(self._ledger, session, body.target)
        if current is None or current.message.content != body.content:
            return None
        since = await self._ledger.entries(session, after=current.message.sequence - 1)
        same = (each for each in reversed(since) if isinstance(each.body, Revised) and each.body.target == body.target)
        return next(same, since[0] if since and since[0].key == body.target else None)

    async def append_about_memories(self, body: Derived | Transferred | Archived, key: str | None) -> Outcome:
        """Append an operation on memories. Repeated under its key, it is not checked again. Raises `InputError`."""
        if await self.entry_for_key(key) is None:
            await self._decider.caught_up()
            await check_memories(self._engine, self._live, body)
        return await self.append(body, key)

    async def prepare(self, body: Prepared, own_key: str | None) -> Outcome:
        """Append a preparation, or return an earlier one if the story has all of it already. Raises as `append`."""
        if own_key is None:
            await self._decider.caught_up()
            if (before := await earlier_preparation(self._ledger, self._live, body)) is not None:
                return self.outcome(before)
        return await self.append(body, own_key)

    async def retract(self, target: str, by: str, own_key: str | None) -> Outcome:
        """Append a retraction, or return the earlier one if the target is gone already.

        Raises `UnknownName` for an unknown key or memory id, `InputError` for a target that is itself a revision.
        """
        await self._decider.caught_up()
        session = self._live.snapshot.id
        entry = await self._ledger.entry(session, key=target)
        if entry is None and not await self._ledger.deliveries(session, memory_ids=[target], limit=1):
            with suppress(StorageError):  # a store that is away keeps nobody from hearing that no entry has it
                await self._refuse_hand_written(target)
            raise UnknownName(f"unknown message key or memory id {target!r}: `inspect` lists what this session has.")
        if entry is not None:
            refuse_revision(entry)
        if own_key is None and (before := await earlier_retraction(self._ledger, session, target, entry)):
            return self.outcome(before)
        return await self.append(checked(Retracted, target=target, by=by), own_key)

    async def _refuse_hand_written(self, id: str) -> None:
        """Raises `InputError` for a memory that only the store knows: the next look at its file would bring it back."""
        store, snapshot = self._engine.reading_in_time, self._live.snapshot
        if found := await by_hand.held(store, snapshot.id, snapshot.cast, id):
            where = by_hand.place(store, found[1].container)
            raise InputError(f"memory {id!r} was written by hand in {where}: delete it there.")

    async def reroll_target(self, key: str | None, own_key: str | None) -> str:
        """The key of the message that a reroll replaces.

        Raises as `revisable`, and `InputError` if there is no message.
        """
        before = await self.entry_for_key(own_key)
        if before is not None and isinstance(before.body, Revised):
            return key or before.body.target
        await self._decider.caught_up()
        target = key if key is not None else self.last_key()
        await self.revisable(target)
        return target

    async def sequence_of(self, at: str | int | None) -> int:
        """The number of an entry, by its key or number; that of the last decided entry for `None`.

        Raises `UnknownName`.
        """
        if at is None:
            return self._live.snapshot.decided
        if isinstance(at, bool) or not isinstance(at, str | int):
            raise InputError(f"at={quoted(at)} cannot be an entry. Give a message key or a sequence number.")
        key, sequence = (text("at", at), None) if isinstance(at, str) else (None, at)
        session = self._live.snapshot.id
        is_number = sequence is None or 0 < sequence <= LARGEST
        entry = await self._ledger.entry(session, key=key, sequence=sequence) if is_number else None
        if entry is None:
            which = "with the key" if sequence is None else "with the number"
            raise UnknownName(f"session {session!r} has no entry {which} {quoted(at)}: `inspect` lists keys.")
        return entry.sequence

    async def branch_point(self, id: str, at: str | int | None) -> int:
        """The number of the last entry that the branch `id` shares: a branch that exists keeps its own.

        Raises as `sequence_of`, and `InvalidId`.
        """
        check_session_id(id)
        await self._decider.caught_up()
        await self._applier.delivered_if_it_answers()  # what is not applied cannot be shared: it is copied
        branch = await self._ledger.load(id) if at is None else None
        if branch is not None and branch.parent == self._live.snapshot.id and branch.forked_at is not None:
            return branch.forked_at
        return await self.sequence_of(at)

    def last_key(self) -> str:
        """The key of the last message. Raises `InputError` if there is none."""
        said = [each.message.key for each in self._live.recent if not each.retracted]
        if not said:
            raise InputError("there is no message to reroll yet.")
        return said[-1]

    async def waiting(self, wait: float, reader: Callable[[], str]) -> Sequence[Entry]:
        """Give decider and applier at most `wait` seconds to catch up; `reader` gives the id of a member of the cast.

        Returns the entries that are still undecided, or that the reader perceived and does not remember yet.
        """
        self._decider.check()
        loop = asyncio.get_running_loop()
        end = loop.time() + wait
        with suppress(StorageError):
            await self._decider.caught_up(wait)
        own = character_container(self._live.snapshot.id, reader()).name
        if self._applier.may_catch_up:
            with suppress(StorageError):
                await self._applier.remembered_by(own, timeout=max(0.0, end - loop.time()))
        if self._decider.idle and all(self._applier.remembers(each, own) for each in self._live.unapplied):
            return ()
        return [*await self._not_remembered(own), *await self._not_decided()]

    async def _not_remembered(self, own: str) -> Sequence[Entry]:
        """The decided entries that the owner of a container perceived and does not remember yet."""
        if all(self._applier.remembers(each, own) for each in self._live.unapplied):
            return ()
        decided = self._live.snapshot.decided
        entries = await self._ledger.entries(self._live.snapshot.id, up_to=decided, unapplied=True)
        return [each for each in entries if not self._applier.remembers(each.sequence, own)]

    async def _not_decided(self) -> Sequence[Entry]:
        """The entries that are not decided. Those reported here are not read again: one may name thousands."""
        last = self._live.snapshot.decided
        if known := self._decider.accepted.undecided(last):
            last = known[-1].sequence
        return [*known, *await self._ledger.entries(self._live.snapshot.id, after=last, unapplied=True)]

    def known_places(self) -> tuple[str, ...]:
        """Every place that the story knows, with those that calls which are not decided yet have named."""
        known = list(self._live.snapshot.state.places)
        for entry in self._decider.accepted.undecided(self._live.snapshot.decided):
            for place in entry.body.places if isinstance(entry.body, Changed) else ():
                path = destination(place, known)
                known += [path, *holders(path)]
        return tuple(dict.fromkeys(known))

    async def _still_there(self, named: Collection[str]) -> None:
        """Raises `UnknownName` if another process has forgotten one of these characters."""
        there = await self._ledger.load(self._live.snapshot.id)
        if there is None or not all(id in there.cast for id in named):
            await self._decider.caught_up()
            for id in named:
                self._live.snapshot.cast.named(id)

    async def _revised_to(self, key: str, first: Body, body: Body) -> bool:
        if not isinstance(first, Said) or not isinstance(body, Said) or first.speaker != body.speaker:
            return False
        if first.content == body.content:
            return True
        current = await settled_message(self._ledger, self._live.snapshot.id, key)
        return current is not None and current.message.content == body.content


def _as_kept(body: Body) -> dict[str, object]:
    return body.model_dump(mode="json")  # tuples become lists


def _as_kept_today(body: Body) -> Body:
    """The body as today's version would write it. Earlier versions kept a model's reasoning in its texts."""
    match body:
        case Said() | Revised():
            return body.model_copy(update={"content": as_said(body.content)})
        case Changed():
            told = None if body.description is None else as_said(body.description)
            updates = [each.model_copy(update={"description": as_said(each.description)}) for each in body.updates]
            return body.model_copy(update={"description": told, "updates": tuple(updates)})
    return body


def new_entry(body: Body, key: str | None) -> NewEntry:
    """An entry ready to append. Raises `InvalidId`, and `InputError` for values that cannot be stored."""
    return NewEntry(body=keepable(body), key=None if key is None else check_key(key), timestamp=now())


def conflict(key: str, first: Body, body: Body) -> KeyConflict:
    """The error for a key that belongs to one thing and was given with another."""
    return KeyConflict(
        f"key {key!r} already belongs to {_short(first)}, not to {_short(body)}. "
        "To change a message, call edit() or reroll(); for a new one, choose another key."
    )


def _short(body: Body) -> str:
    if isinstance(body, Said):
        text = f"{body.speaker}: {body.content}"
    else:
        text = f"{body.kind} {body.model_dump(exclude_defaults=True)}"
    return repr(text if len(text) <= 60 else text[:57] + "…")
