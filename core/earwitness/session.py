"""A session: one story, as a host holds it. Each call becomes an entry of the journal; everything else follows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from . import transfer
from .containers import Container, character_container
from .drafts import Drafts, Notes
from .end.applier import Applier
from .end.decider import Decider
from .engine import Engine
from .extensions import Extensible, Opener
from .filters import EVERYTHING, Filter
from .journal import Journal
from .live import Live
from .lore import Lore
from .memory_entries import MemoryRef
from .names import NameResolver
from .outcome import Outcome
from .records.channel import Channel, Context
from .records.character import Cast, Character
from .records.derived import Derivation
from .records.journal import Original
from .records.memory import Interaction
from .records.message import Messages
from .records.state import State
from .records.update import Audience, Update
from .start.host_request import host_request, known_settings
from .start.recalled import Recall
from .transcript import MessageQuery, Transcript
from .transfer import Seen, unseen
from .turn import Turn
from .validation.arguments import some_text, text

if TYPE_CHECKING:
    from .backstage.backstage import Backstage


class Session(Extensible):
    """One story. Made by `Earwitness.session`; its calls may be made from many tasks at once."""

    _extension_group = "earwitness.session_extension"

    def __init__(self, engine: Engine, live: Live, decider: Decider, applier: Applier, app: Opener[Session]) -> None:
        self._engine, self._live = engine, live
        self._decider, self._applier = decider, applier
        self._journal = Journal(engine, live, decider, applier)
        self._names = NameResolver(live, decider)
        self._drafts = Drafts(live, self._names, self._journal)
        self._transcript = Transcript(engine, live, decider, self._journal, self._names)
        self._app = app
        self._extended = (self, app)

    def __repr__(self) -> str:
        return f"<Session {self.id!r}, {self._live.size}>"

    @property
    def id(self) -> str:
        """Session id."""
        return self._live.snapshot.id

    @property
    def cast(self) -> Cast:
        """Everybody in the session, as of the last decided entry."""
        return self._live.snapshot.cast

    @property
    def state(self) -> State:
        """The state, as of the last decided entry."""
        return self._live.snapshot.state

    # ── START ────────────────────────────────────────────────────────────────────────────────────────────────────

    async def turn(
        self,
        character: str,
        *,
        before: str | None = None,
        query: str | None = None,
        in_prompt: Sequence[str] | None = None,
        context: Context | None = None,
        channel: Channel | None = None,
        filter: Filter | str = EVERYTHING,
        **recall: Any,
    ) -> Turn:
        """Begin a character's turn: what does this character remember now?
        With `before`, the key of a message, the turn recalls what was known before it, for another answer in its place
        (see `reroll`); the channel is that of the message unless you name one. `query` replaces the recall query.
        `in_prompt` are keys of messages that the prompt already holds (by default those in the query). `filter` narrows
        the recall, as in `'location = "tavern"'`. `recall` overrides `RecallSettings`, such as `memories=5`.
        Raises `UnknownName`, `SettingsError`, `StorageError`, `InvalidFilter`, `InputError`."""
        settings = self._engine.settings.recall_with(known_settings(recall))
        given: dict[str, Any] = {"query": query, "in_prompt": in_prompt, "context": context, "channel": channel}
        given |= {"before": before, "filter": filter}
        request, waiting = await host_request(self._names, self._journal, settings.wait, character, **given)
        return await Turn.begin(self, self._engine, self._live, settings, request, waiting)

    async def memories(self, character: str, *, channel: Channel | None = None) -> Recall:
        """All of a character's own memories that guards let be recalled in a channel, in the order learned. Nothing is
        searched, and no shared container read. Raises `UnknownName`, `InputError`, `StorageError`."""
        return await self._transcript.memories(character, channel)

    # ── END ──────────────────────────────────────────────────────────────────────────────────────────────────────

    async def say(
        self,
        speaker: str,
        content: str,
        *,
        key: str | None = None,
        speak_as: str | None = None,
        present: Iterable[str] | None = None,
        audience: Iterable[str] | None = None,
        place: str | None = None,
        context: Context | None = None,
        channel: Channel | None = None,
        metadata: Mapping[str, Any] | None = None,
        in_turn: bool = False,
    ) -> Outcome:
        """Report what a character said or did. Durable on return; who remembers it is decided in the background.
        `speaker` is an id, name or alias. `present` says who is there, besides the speaker, and that nobody else is;
        whispers and thoughts stay what they are. `audience` says who perceives all of it. `place` is where it is said,
        a path as in `move` (default: the current scene). `speak_as` is the name that the speaker is in disguise under.
        The same `key` and text return the first outcome. Raises `UnknownName`, `KeyConflict`, `InputError`."""
        given: dict[str, Any] = {"present": present, "audience": audience, "place": place, "metadata": metadata}
        given |= {"speak_as": speak_as, "context": context, "channel": channel, "in_turn": in_turn}
        body = await self._drafts.message(speaker, content, key, **given)
        return await self._arrived(await self._journal.append(body, key))

    async def say_all(self, messages: Iterable[Mapping[str, Any]]) -> list[Outcome]:
        """Report many messages at once: each is a table of what `say` takes. They are stored in this order, durable on
        return, all or none. This is many times faster than single calls. Other calls wait meanwhile, so report some
        hundred at a time. Raises as `say`, naming the message, and `InputError` for what `say` would not take."""
        return await self._journal.append_all(await self._drafts.messages(messages))

    async def edit(
        self,
        key: str,
        content: str,
        *,
        present: Iterable[str] | None = None,
        audience: Iterable[str] | None = None,
        own_key: str | None = None,
        metadata: Notes = None,
    ) -> Outcome:
        """Correct a message: memories of the old text go, and the new text is delivered to those who perceive it.
        `present`, `audience` and `metadata` correct those of the message. To the text it has already, it changes
        nothing; with an `own_key`, it is decided again. Raises `UnknownName` for a key without a message, `InputError`
        for a retracted one, and for somebody present or in the audience who joined after it."""
        body = await self._drafts.edit(key, content, present, audience, own_key, metadata)
        return await self._followed_up(await self._journal.revise(body, own_key), body.target)

    async def reroll(
        self, content: str, *, key: str | None = None, own_key: str | None = None, metadata: Notes = None
    ) -> Outcome:
        """Replace the last message, or the one with this key, by another answer. Raises as `edit`."""
        body = await self._drafts.reroll(content, key, own_key, metadata)
        return await self._followed_up(await self._journal.revise(body, own_key), body.target)

    async def retract(self, target: str, *, by: str = "author", own_key: str | None = None) -> Outcome:
        """Retract a message or change (by key) or one memory (by id), with everything that rested on it.
        The id of the world's copy of a message means the whole message. What was retracted before returns the first
        outcome. Raises `UnknownName` for an unknown key or id, `InputError` for that of an edit, reroll, retraction,
        and for nobody in `by`."""
        what, who = text("target", target), some_text("by", by)
        return await self._followed_up(await self._journal.retract(what, who, own_key), target)

    async def remember(
        self,
        character: str | None,
        content: str,
        *,
        type: str = "note",
        container: Container | str | None = None,
        rests_on: Iterable[MemoryRef] = (),
        knowers: Iterable[str] = (),
        how: Interaction = "direct",
        shared_from: str | None = None,
        trust: float = 1.0,
        rule: str = "written by hand",
        identity: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        channel: Channel | None = None,
        key: str | None = None,
    ) -> Outcome:
        """Write a memory that is not a message: a fact, a summary, a note.
        `character` is whose it is, or the `world`; `None` with a `container` registered beyond the session. It goes
        with its grounds, `rests_on` (memories, keys), as the `knowers` have them. The other arguments are those of
        `Derivation`. Raises `UnknownName` for a stranger or ground, `InputError` for a bad text, identity or ground."""
        known: Any = {"how": how, "shared_from": shared_from, "trust": trust, "rule": rule, "identity": identity}
        made = self._drafts.memory(character, content, type, container, rests_on, knowers, metadata, channel, **known)
        return await self._journal.append_about_memories(await made, key)

    async def derive(self, derivation: Derivation, *, key: str | None = None) -> Outcome:
        """Write a derived memory as plugins propose it, with all that it says of itself. Raises as `remember`."""
        return await self._journal.append_about_memories(await self._drafts.derivation(derivation), key)

    async def tell(
        self,
        teller: str,
        listener: str,
        memory: MemoryRef,
        *,
        content: str | None = None,
        day: float | None = None,
        channel: Channel | None = None,
        rule: str | None = None,
        how: Literal["shared", "witnessed"] = "shared",
        trust: float = 1.0,
        metadata: Mapping[str, Any] | None = None,
        key: str | None = None,
    ) -> Outcome:
        """Let one character pass a memory on to another, without a message.
        `memory` is one of the teller's, its id, or the key of what it is about. `content` words it differently; `day`
        is when (default: today; a later day is waited for), `channel` where, `rule` why, `trust` (0 to 1) how far it is
        believed; it stays as private as it was. Raises `UnknownName`, `InputError` if the teller does not know it."""
        given: Any = {"day": day, "rule": rule, "how": how, "trust": trust, "metadata": dict(metadata or {})}
        body = await self._drafts.transfer(teller, listener, memory, content, channel, **given)
        return await self._journal.append_about_memories(body, key)

    async def archive(
        self, *memories: MemoryRef, newer: bool = False, dropped: str | None = None, key: str | None = None
    ) -> Outcome:
        """Take memories out of recall; `restore` puts them back. A key means all copies. With `newer`, a turn `before`
        this recalls them still. `dropped`: why to strike what no store has. Raises `UnknownName`, `InputError`."""
        return await self._journal.append_about_memories(self._drafts.archiving(memories, newer, dropped), key)

    async def restore(self, *memories: MemoryRef, key: str | None = None) -> Outcome:
        """Put archived memories back into recall. Retracted ones stay retracted. Raises as `archive`."""
        return await self._journal.append_about_memories(self._drafts.restoring(memories), key)

    # ── CHANGE ───────────────────────────────────────────────────────────────────────────────────────────────────

    async def change(
        self,
        *,
        description: str | None = None,
        audience: Audience | list[str] = "present",
        updates: Iterable[Update] = (),
        channel: Channel | None = None,
        key: str | None = None,
        **changes: Any,
    ) -> Outcome:
        """Change the state: typed keys, and any of your own, which stay as you spell them (`None` removes one).

        `description` words the change for the world (else plugins do); `audience` says who may know of it: `present`
        (default), `public`, or ids; `channel` where it happened: of a private one, it is told there alone.
        `participants` says whom the host counts into the session; `enter`, `leave` and `move` say who is here.
        `facts={"guild": […]}` are a package's own, as long as the change stands. Raises `InputError`, `UnknownName`."""
        body = await self._drafts.change(changes, description, updates, audience, channel)
        return await self._arrived(await self._journal.append(body, key), body.changes)

    async def update(
        self,
        description: str,
        *,
        character: str | None = None,
        type: str | None = None,
        audience: Audience | list[str] = "present",
        channel: Channel | None = None,
        key: str | None = None,
        **metadata: Any,
    ) -> Outcome:
        """Tell the world that something happened: `update("Alice acquired the Sacred Sword", character="alice",
        type="item_acquired")`. With a `character` it is a `character_update`. The rest is as in `change`."""
        body = await self._drafts.update(description, character, type, audience, channel, metadata)
        return await self._journal.append(body, key)

    async def unmask(
        self,
        character: str,
        name: str | None = None,
        *,
        audience: Audience | list[str] = "present",
        description: str | None = None,
        channel: Channel | None = None,
        key: str | None = None,
    ) -> Outcome:
        """Reveal who is behind a name that a character spoke under (`say(…, speak_as=…)`; default: the last one) to the
        `audience`: those `present`, `public`, or ids. All their memories say so from now on, or, where the `channel` is
        private, those of what they heard in it. `character` may be that name. Raises `UnknownName` for another."""
        body = await self._drafts.unmasking(character, name, audience, description, channel)
        return await self._journal.append(body, key)

    async def enter(self, *characters: str, key: str | None = None) -> Outcome:
        """Let these characters enter the current scene."""
        return await self._journal.append(await self._drafts.moves(characters, "enter"), key)

    async def leave(self, *characters: str, to: str | None = None, key: str | None = None) -> Outcome:
        """Let these characters leave the current scene. `to` names a place as in `move`."""
        return await self._journal.append(await self._drafts.moves(characters, "leave", to, key), key)

    async def move(self, character: str, place: str, *, key: str | None = None) -> Outcome:
        """A character goes to a place: a path (`castle/kitchen`), or the last part of just one known place. Raises
        `UnknownName`, and `InputError` for a place without a name or a last part that several places have."""
        return await self._journal.append(await self._drafts.moves([character], "move", place, key), key)

    async def channel(
        self, channel: Channel, members: Iterable[str], *, place: str | None = None, key: str | None = None
    ) -> Outcome:
        """Say who is in a channel until you say otherwise: they perceive what is said openly in it, and nobody else.
        The same call with other `members` replaces them; none end it. With a `place`, what is said in the channel is
        said there: its members are put there, and then come and go as the story says. Without one, nobody moves.
        `present` and `audience` of a message count for more. Decided on return. Raises `UnknownName`, and `InputError`
        for a channel without a `channel_id`, or a direct message at a place."""
        standing = await self._journal.append(await self._drafts.channel(channel, members, place, key), key)
        await standing.decided()  # so that the next message finds them
        return standing

    async def join(self, *members: Character | str, key: str | None = None) -> Outcome:
        """Add newcomers to the cast. They remember nothing from before but common knowledge. Decided on return.
        Raises `ContainerCollision` when a container would belong to two owners, and `InvalidId`."""
        body = self._drafts.joining(members)
        await self._journal.register([character_container(self.id, each.id) for each in body.joins])
        joined = await self._journal.append(body, key)
        await joined.decided()  # so that the next call may name them
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
        """Give the story what was there before it. Each piece is a permanent memory; a changed one replaces it, and
        all of it again, without a `key`, changes nothing. Everybody knows the `plot`; a mapping names several. A
        character knows its own of `cards` and `examples` (dialogue). `lore` is common knowledge, or known to those in
        `known_by`. `originals` are the files it came from."""
        return await self._journal.prepare(await self._drafts.preparation(plot, cards, examples, lore, originals), key)

    # ── reading back ─────────────────────────────────────────────────────────────────────────────────────────────

    async def messages(
        self,
        *,
        before: str | None = None,
        after: str | None = None,
        speaker: str | None = None,
        heard_by: str | None = None,
        channel_id: str | None = None,
        channel: Channel | None = None,
        limit: int | None = None,
        retracted: bool = False,
    ) -> Messages:
        """The messages as they now read, oldest first: edited ones in their new words, without retracted ones.
        `before` and `after` are keys; `limit` keeps the newest, or with `after` the first; `retracted` adds retracted
        ones, marked. `heard_by` keeps what a character perceived and remembers, as perceived; with `channel`, what may
        be recalled there: nothing if a guard fails (see `failures`). Raises `UnknownName`, `InputError`."""
        query = MessageQuery(before, after, speaker, heard_by, channel_id, channel, limit, retracted)
        return await self._transcript.messages(query)

    async def has(self, key: str) -> bool:
        """Whether a message or any other call has this key, even if it was retracted since."""
        return await self._transcript.has(key)

    async def outcome(self, key: str) -> Outcome:
        """The outcome that the first call with this key returned; its `created` is `False`. Raises `UnknownName`."""
        return await self._transcript.outcome(key)

    # ── the whole story ──────────────────────────────────────────────────────────────────────────────────────────

    async def settled(self, timeout: float | None = None) -> None:
        """Wait until everything reported so far is decided, and remembered by those who perceived it. Raises what kept
        an entry from being decided, and `NotYetApplied` if the store fails, or takes longer than `timeout` seconds."""
        await self._decider.caught_up()
        await self._applier.remembered(timeout=timeout)

    async def delivered(self, timeout: float | None = None, *, retry_refused: bool = False) -> None:
        """Wait until the store holds everything due that it does not refuse. With `retry_refused`, put again what it
        has refused, which it must take now. Raises as `settled`."""
        await self._decider.all_told(timeout)
        await self._applier.delivered(timeout=timeout, retry_refused=retry_refused)

    async def fork(self, id: str, *, at: str | int | None = None, seen: Seen = unseen) -> Session:
        """A branch: a session of its own that shares this one's past up to `at` (key or sequence number; default now).
        Nobody is asked again. Forking to the same id again returns that branch. `seen` is called with each number of
        entries written. Raises `UnknownName` for an unknown key, `ContainerCollision` for a taken id, `InvalidId`."""
        await transfer.fork(self._engine, self.id, id, await self._journal.branch_point(id, at), seen)
        return await self._app.session(id)

    async def forget(self, character: str, *, key: str | None = None) -> None:
        """Remove a character and their container for good. What others remember about them stays."""
        await (await self._journal.append(await self._drafts.leaving(character, key), key)).decided()
        await self._applier.delivered_if_it_answers()

    def backstage(self, role: str = "author", *, persona: str | None = None) -> Backstage:
        """The view that no character may see: who knows what, and how. The `role` is recorded with what is done. A
        `player` sees only what their `persona` remembers (a character's id or name, or a `persona_id`); an `owner`,
        `author` or `designer` sees everything. Raises `UnknownName`, and `InputError` for a player without persona."""
        from .backstage.backstage import Backstage  # not loaded for those who only tell a story

        return Backstage(self, self._engine, self._live, self._applier, self._decider.all_told, role, persona)
