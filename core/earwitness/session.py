"""A session: one story, as a host holds it. Everything told to it goes through the journal; the rest follows."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from . import transfer
from .backstage.backstage import Backstage
from .containers import Container, character_container
from .end.again import taken_back
from .end.applier import Applier
from .end.decider import Decider
from .engine import Engine
from .errors import InputError, StorageError, UnknownName, about
from .filters import EVERYTHING, Filter, as_filter
from .formats import as_said
from .ids import WORLD
from .journal import Journal, new_entry
from .live import Live
from .loading.settings import RecallSettings
from .lore import Lore, pieces_of
from .memory_entries import MemoryRef, check_memories, memory_ids
from .outcome import Outcome
from .places import parts, resolved
from .records.channel import Channel, Context
from .records.character import Cast, Character, as_cast
from .records.derived import Derivation
from .records.journal import (
    Archived,
    Body,
    Changed,
    Derived,
    Entry,
    NewEntry,
    Original,
    Prepared,
    Retracted,
    Revised,
    Said,
    Transferred,
)
from .records.state import State
from .records.update import Audience, Update
from .start.recall import RecallRequest
from .transfer import Seen, unseen
from .turn import Turn
from .validation.arguments import several, some_text, table, text, texts
from .validation.messages import known_channel, message_text, refuse_newcomers, refuse_revision, spoken, update_text
from .validation.records import check_state, checked, state_keys

T = TypeVar("T")
Opener = Callable[[str], Awaitable["Session"]]


class Session:
    """One story. Made by `Earwitness.session`; its calls may be made from many tasks at once."""

    def __init__(self, engine: Engine, live: Live, decider: Decider, applier: Applier, opener: Opener) -> None:
        self._engine = engine
        self._live = live
        self._decider = decider
        self._applier = applier
        self._journal = Journal(engine, live, decider, applier)
        self._opener = opener

    def __repr__(self) -> str:
        return f"<Session {self.id!r}, {len(self.cast)} characters, {self._live.snapshot.decided} entries>"

    @property
    def id(self) -> str:
        """Session id."""
        return self._live.snapshot.id

    @property
    def cast(self) -> Cast:
        """Everybody in it, as of the last settled entry."""
        return self._live.snapshot.cast

    @property
    def state(self) -> State:
        """What is the case, as of the last settled entry."""
        return self._live.snapshot.state

    # ── START ────────────────────────────────────────────────────────────────────────────────────────────────────

    async def turn(
        self,
        character: str,
        *,
        query: str | None = None,
        in_prompt: Sequence[str] | None = None,
        context: Context | None = None,
        channel: Channel | None = None,
        filter: Filter | str = EVERYTHING,
        **recall: Any,
    ) -> Turn:
        """Begin a character's turn: what does she remember now?

        `query` replaces the recall query; `in_prompt` are keys of messages that the prompt holds already (by default
        those in the query); `filter` narrows what may come to mind, as in `'location = "tavern"'`; `recall` overrides
        settings of `RecallSettings`, such as `memories=5`.
        Raises `UnknownName`, `SettingsError`, `StorageError`, `InvalidFilter`, `InputError`.
        """
        where, settings = known_channel(channel, context), self._recall_settings(recall)
        query = None if query is None else text("query", query)
        in_prompt = None if in_prompt is None else texts("in_prompt", in_prompt)
        filter = as_filter(filter)
        waiting = await self._at_hand(settings.wait)
        request = RecallRequest(self._member(character).id, query, in_prompt, where, filter)
        return await Turn.begin(self, self._engine, self._live, settings, request, waiting)

    # ── END ──────────────────────────────────────────────────────────────────────────────────────────────────────

    async def say(
        self,
        speaker: str,
        content: str,
        *,
        key: str | None = None,
        present: Iterable[str] | None = None,
        context: Context | None = None,
        channel: Channel | None = None,
        metadata: Mapping[str, Any] | None = None,
        in_turn: bool = False,
    ) -> Outcome:
        """Tell what a character said or did. Durable on return; who remembers it is decided in the background.

        `speaker` is an id, name or alias. `present` is the host's certain word on who perceives it (ids). The same
        `key` with the same text returns the first outcome. Raises `UnknownName`, `KeyConflict`, `StorageError`,
        and `InputError` for an empty message.
        """
        return await self._journal.append(
            await self._said(
                speaker,
                content,
                present=present,
                context=context,
                channel=channel,
                metadata=metadata,
                in_turn=in_turn,
            ),
            key,
        )

    async def say_all(self, messages: Iterable[Mapping[str, Any]]) -> list[Outcome]:
        """Tell many messages at once, such as a transcript: each is a table of what `say` takes.

        They are told in this order, durable on return, all or none; their outcomes come in the same order. That is many
        times as fast as one `say` after the other; what others tell meanwhile waits, so tell some hundred at a time.
        Raises as `say`, saying which one it is about, and `InputError` for a table that `say` would not take.
        """
        told: list[NewEntry] = []
        keyed: dict[str, Body] = {}
        for number, each in enumerate(several("messages", messages)):
            key, given = spoken(number, each)
            with about(f"messages[{number}]"):
                new = new_entry(await self._said(**given), key)
                if new.key is not None:
                    await self._journal.refuse_conflict(new.key, keyed.setdefault(new.key, new.body), new.body)
            told.append(new)
        return await self._journal.append_all(told)

    async def edit(
        self, key: str, content: str, *, present: Iterable[str] | None = None, own_key: str | None = None
    ) -> Outcome:
        """Correct a message: what it made remembered goes, and the new text is delivered to whoever perceives that.

        Raises `UnknownName` for a key without a message, `InputError` for a retracted one, and for somebody present
        who joined after it.
        """
        seen = await self._seen_by(present)
        if not await self._journal.entry_for_key(own_key):
            refuse_newcomers(seen or (), await self._journal.revisable(key), self._live.snapshot.joined)
        return await self._journal.append(
            checked(Revised, target=key, content=message_text(content), present=seen), own_key
        )

    async def reroll(self, content: str, *, key: str | None = None, own_key: str | None = None) -> Outcome:
        """Put another answer in place of the last message, or of the one with this key. Raises as `edit`."""
        told = await self._journal.entry_for_key(own_key)
        if told is not None and isinstance(told.body, Revised):
            target = key or told.body.target
        else:
            await self._decider.caught_up()
            target = key if key is not None else self._last_key()
            await self._journal.revisable(target)
        return await self._journal.append(
            checked(Revised, target=target, content=message_text(content), reroll=True), own_key
        )

    async def retract(self, target: str, *, by: str = "author", own_key: str | None = None) -> Outcome:
        """Take back a message or change (by key) or one memory (by id), with everything that rested on it.

        The id of the world's copy of a message stands for the message. What was taken back before is not taken back
        again: the first outcome is returned (`created` is `False`).
        Raises `UnknownName` when nothing goes by this key or id, `InputError` when an edit, reroll or retraction does.
        """
        text("target", target)
        await self._decider.caught_up()
        ledger = self._engine.ledger
        entry = await ledger.entry(self.id, key=target)
        if entry is None and not await ledger.deliveries(self.id, memory_ids=[target], limit=1):
            raise UnknownName(f"unknown message key or memory id {target!r}: `inspect` lists what this session has.")
        if entry is not None:
            refuse_revision(entry)
        if own_key is None and (before := await taken_back(self._engine, self.id, target, entry)):
            return self._journal.outcome(before)
        return await self._journal.append(checked(Retracted, target=target, by=by), own_key)

    # ── single memories ──────────────────────────────────────────────────────────────────────────────────────────

    async def remember(
        self,
        character: str | None,
        content: str,
        *,
        type: str = "note",
        container: Container | str | None = None,
        rests_on: Iterable[MemoryRef] = (),
        metadata: Mapping[str, Any] | None = None,
        key: str | None = None,
    ) -> Outcome:
        """Write a memory that is no message: a fact, a summary, a note.

        `character` is whose it is, or the `world`; `None` with a `container` that is registered beyond the session.
        `rests_on` are memories, or keys of messages and changes: taking back any of them takes this memory with it.
        `type` and `metadata` are stored with it. Raises `UnknownName` for a stranger or an unknown ground, and
        `InputError` for an empty text, a `type` of Earwitness's own, or a ground that was taken back.
        """
        owner = character if character in {None, WORLD} else (await self._known(str(character)))[0]
        derivation = checked(
            Derivation,
            text=as_said(text("content", content)),
            owner=owner,
            container=container.name if isinstance(container, Container) else container,
            type=type,
            metadata=dict(table("metadata", metadata)),
            rests_on=memory_ids("rests_on", rests_on),
            rule="written by hand",
        )
        return await self._about_memories(Derived(derivation=derivation), key)

    async def tell(
        self,
        teller: str,
        listener: str,
        memory: MemoryRef,
        *,
        content: str | None = None,
        day: float | None = None,
        key: str | None = None,
    ) -> Outcome:
        """Let one character pass on a memory to another, who has it from them: no message is said.

        `memory` is one of the teller's, its id, or the key of what it is about. `content` is what is told in other
        words, `day` the game day it is told on (default today; a later one is waited for). Raises `UnknownName`, and
        `InputError` when the teller does not know it by then.
        """
        ids = await self._known(teller, listener)
        told = None if content is None else message_text(content)
        (what,) = memory_ids("memory", (memory,))
        body = checked(Transferred, teller=ids[0], listener=ids[1], memory=what, text=told, day=day)
        return await self._about_memories(body, key)

    async def archive(self, *memories: MemoryRef, key: str | None = None) -> Outcome:
        """Take memories out of recall; `restore` puts them back. What rests on them stays.

        Raises `UnknownName` for an unknown id, `InputError` for a memory that was retracted.
        """
        return await self._about_memories(checked(Archived, memories=memory_ids("memories", memories)), key)

    async def restore(self, *memories: MemoryRef, key: str | None = None) -> Outcome:
        """Put archived memories back into recall. What was retracted stays so. Raises as `archive`."""
        body = checked(Archived, memories=memory_ids("memories", memories), restore=True)
        return await self._about_memories(body, key)

    # ── CHANGE ───────────────────────────────────────────────────────────────────────────────────────────────────

    async def change(
        self,
        *,
        description: str | None = None,
        audience: Audience | list[str] = "present",
        updates: Iterable[Update] = (),
        key: str | None = None,
        **changes: Any,
    ) -> Outcome:
        """Change the state: typed keys, optional ones, and any of your own, which stay as you spell them (`None`
        removes one).

        `description` words the change for the world (else plugins do); `audience` says who may know of it:
        `present` (default), `public`, or ids. `participants` says whom the host counts into the session; `enter`,
        `leave` and `move` say who is here. Raises `InputError` for a value the key cannot hold, and `UnknownName` for a
        participant who is a stranger.
        """
        changes = state_keys(changes)
        check_state(self.state, changes)
        if "participants" in changes:
            changes["participants"] = await self._known(*several("participants", changes["participants"]))
        told = several("updates", updates)
        told_of = [each.description for each in told if isinstance(each, Update)]  # the others are refused below
        for each in (*told_of, *([] if description is None else [description])):
            update_text(each)
        if not changes and not told and description is None:
            raise InputError(
                "change() was given nothing. Give a state key, as in game_day=6, a description or updates."
            )
        body = checked(
            Changed,
            changes=changes,
            description=description,
            updates=told,
            audience=await self._audience(audience),
        )
        return await self._journal.append(body, key)

    async def update(
        self,
        description: str,
        *,
        character: str | None = None,
        type: str | None = None,
        audience: Audience | list[str] = "present",
        key: str | None = None,
        **metadata: Any,
    ) -> Outcome:
        """Tell the world that something happened: `update("Alice acquired the Sacred Sword", character="alice",
        type="item_acquired")`. With a `character` it is a `character_update`. Raises `UnknownName`."""
        about = (await self._known(character))[0] if character else None
        told = checked(
            Update,
            description=update_text(description),
            type="character_update" if about else "world_state_update",
            update_type=type,
            character=about,
            audience=await self._audience(audience),
            metadata=metadata,
        )
        return await self._journal.append(Changed(updates=(told,), audience=told.audience), key)

    async def enter(self, *characters: str, key: str | None = None) -> Outcome:
        """These characters come to the current scene."""
        return await self._moves([(each, "enter", None) for each in characters], key)

    async def leave(self, *characters: str, to: str | None = None, key: str | None = None) -> Outcome:
        """These characters leave the current scene; `to` names a place as in `move`."""
        place = None if to is None else await self._place("to", to, key)
        return await self._moves([(each, "leave", place) for each in characters], key)

    async def move(self, character: str, place: str, *, key: str | None = None) -> Outcome:
        """A character goes to a place: a path, such as `castle/kitchen`, or the last part of just one known place.

        Raises `UnknownName`, and `InputError` for a place without a name or a last part that several places have.
        """
        return await self._moves([(character, "move", await self._place("place", place, key))], key)

    async def join(self, *members: Character | str, key: str | None = None) -> Outcome:
        """Add newcomers to the cast. They remember nothing from before but common knowledge. Settled on return.

        Raises `ContainerCollision` when a container would belong to two owners.
        """
        newcomers = as_cast(members)
        await self._engine.ledger.register([character_container(self.id, each.id) for each in newcomers])
        joined = await self._journal.append(Changed(joins=newcomers.members, quiet=True), key)
        await joined.settled()  # so that the next call may name them
        return joined

    async def prepare(
        self,
        *,
        plot: str | Mapping[str, str] | None = None,
        cards: Mapping[str, str] | None = None,
        examples: Mapping[str, str | Sequence[str]] | None = None,
        lore: Iterable[Lore | Mapping[str, Any] | str] = (),
        originals: Iterable[Original] = (),
        key: str | None = None,
    ) -> Outcome:
        """What was there before the story: plot (all know it), cards and example dialogue (their character's own),
        lore (common knowledge, or `known_by`). Each is its own permanent memory; preparing it again replaces it.

        A mapping as `plot` names several. `originals` are the files all this came from, kept as they are.
        """
        lore = several("lore", lore)
        pieces = await self._knowing(
            lambda: pieces_of(plot, cards, examples, lore, resolve=lambda name: self._member(name).id)
        )
        kept = several("originals", originals)
        if not pieces and not kept:
            raise InputError("prepare() was given nothing. Give plot, cards, examples or lore.")
        return await self._journal.append(checked(Prepared, pieces=tuple(pieces), originals=kept), key)

    # ── the whole story ──────────────────────────────────────────────────────────────────────────────────────────

    async def settled(self, timeout: float | None = None) -> None:
        """Wait until everything told so far is decided, and remembered by those who perceived it.

        Raises what kept an entry from being decided, and `NotYetApplied` when the store takes longer than `timeout`
        seconds; without one, when it fails.
        """
        await self._decider.caught_up()
        await self._applier.remembered(timeout=timeout)

    async def delivered(self, timeout: float | None = None) -> None:
        """Wait until the store holds everything told so far for everybody whose day it is. Raises as `settled`."""
        await self._decider.caught_up()
        await self._applier.delivered(timeout=timeout)

    async def fork(self, id: str, *, at: str | int | None = None, seen: Seen = unseen) -> Session:
        """A branch: a session of its own that shares this one's past up to `at` (key or sequence number; default now).

        The recorded plans are applied under the new name; nobody is asked again. Forking to the same id again returns
        that branch. `seen` is called with each number of entries written. Raises `UnknownName` for an unknown key,
        `ContainerCollision` when the id is taken.
        """
        await self._decider.caught_up()
        branch = await self._engine.ledger.load(id) if at is None else None
        again = branch.forked_at if branch is not None and branch.parent == self.id else None
        sequence = await self._sequence(at) if again is None else again
        await transfer.fork(self._engine, self.id, id, sequence, seen)
        return await self._opener(id)

    async def forget(self, character: str) -> None:
        """Remove a character and her container for good. What others remember of her stays."""
        (member,) = await self._known(character)
        await (await self._journal.append(Changed(leaves_cast=(member,), quiet=True), None)).settled()

    def backstage(self, role: str = "author") -> Backstage:
        """What no character may see: who knows what and how. `role` is noted with what is done."""
        return Backstage(self, self._engine, self._live, self._applier, role)

    # ── how ──────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _said(
        self,
        speaker: str,
        content: str,
        *,
        present: Iterable[str] | None = None,
        context: Context | None = None,
        channel: Channel | None = None,
        metadata: Mapping[str, Any] | None = None,
        in_turn: bool = False,
    ) -> Said:
        return checked(
            Said,
            speaker=(await self._known(speaker))[0],
            content=message_text(content),
            channel=known_channel(channel, context),
            present=await self._seen_by(present),
            metadata=dict(table("metadata", metadata)),
            in_turn=in_turn,
        )

    async def _about_memories(self, body: Derived | Transferred | Archived, key: str | None) -> Outcome:
        """Tell what is done with memories, unless it was told before under this key: then it is not checked again."""
        if await self._journal.entry_for_key(key) is None:
            await self._decider.caught_up()
            await check_memories(self._engine.ledger, self._live.snapshot, body)
        return await self._journal.append(body, key)

    async def _sequence(self, at: str | int | None) -> int:
        if at is None:
            return self._live.snapshot.decided
        if isinstance(at, bool) or not isinstance(at, str | int):
            raise InputError(f"at={at!r} is no entry to fork at. Give a message key or a sequence number.")
        if isinstance(at, str):
            text("at", at)
        entry = await self._engine.ledger.entry(
            self.id, key=at if isinstance(at, str) else None, sequence=at if isinstance(at, int) else None
        )
        if entry is None:
            raise UnknownName(
                f"no entry {at!r} in session {self.id!r} to fork at. Give a message key or a sequence number."
            )
        return entry.sequence

    def _last_key(self) -> str:
        said = [each.message.key for each in self._live.recent if not each.retracted]
        if not said:
            raise InputError("there is no message to reroll yet.")
        return said[-1]

    async def _at_hand(self, wait: float) -> Sequence[Entry]:
        """Let decider and applier catch up for at most `wait` seconds; what is left waiting."""
        loop = asyncio.get_running_loop()
        end = loop.time() + wait
        with suppress(StorageError):
            await self._decider.caught_up(wait)
        if self._applier.failure is None:
            with suppress(StorageError):
                await self._applier.remembered(timeout=max(0.0, end - loop.time()))
        return await self._waiting()

    async def _waiting(self) -> Sequence[Entry]:
        snapshot = self._live.snapshot
        if self._decider.idle and not self._live.unapplied:
            return ()
        waiting = await self._engine.ledger.entries(snapshot.id, unapplied=True)
        return [
            entry
            for entry in waiting
            if entry.sequence > snapshot.decided or not self._applier.remembers(entry.sequence)
        ]

    def _member(self, name: str) -> Character:
        return self.cast.named(name)

    async def _knowing(self, asked: Callable[[], T]) -> T:
        """What is found by names. For an unknown one the story is caught up once: another process may have added it."""
        try:
            return asked()
        except UnknownName:
            with suppress(StorageError):
                await self._decider.caught_up()
            return asked()

    async def _known(self, *names: str) -> tuple[str, ...]:
        """The ids of these characters. Raises `UnknownName`."""
        return await self._knowing(lambda: tuple(self._member(each).id for each in names))

    async def _seen_by(self, present: Iterable[str] | None) -> tuple[str, ...] | None:
        return None if present is None else await self._known(*several("present", present))

    async def _audience(self, audience: Audience | list[str]) -> Audience:
        if isinstance(audience, str):
            if audience not in {"present", "public"}:
                raise InputError(f"audience {audience!r} must be 'present', 'public' or a list of character ids.")
            return audience
        return await self._known(*several("audience", audience))

    async def _place(self, what: str, place: str, key: str | None) -> str:
        """The place as written; it becomes a path where it is decided, in the order of the journal."""
        if not parts(some_text(what, place)):
            raise InputError(f"{what} = {place!r} cannot be used: a place needs a name.")
        if await self._journal.entry_for_key(key) is None:
            resolved(place, self.state.places)
        return place

    async def _moves(self, moves: Sequence[tuple[str, Any, str | None]], key: str | None) -> Outcome:
        ids = await self._known(*(who for who, _, _ in moves))
        return await self._journal.append(
            Changed(moves=tuple((id, how, to) for id, (_, how, to) in zip(ids, moves, strict=True))), key
        )

    def _recall_settings(self, changes: Mapping[str, Any]) -> RecallSettings:
        settings = self._engine.settings
        return settings.changed(recall={**dict(settings.recall), **changes}).recall if changes else settings.recall
