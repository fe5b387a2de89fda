"""Written by scripts/generate_sync.py from the asynchronous `Session`. To change it, change that: `make sync`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from ..containers import Container
from ..drafts import Notes
from ..filters import EVERYTHING, Filter
from ..memory_entries import MemoryRef
from ..records.channel import Channel, Context
from ..records.character import Cast
from ..records.derived import Derivation
from ..records.memory import Interaction
from ..records.message import Messages
from ..records.state import State
from ..start.recalled import Recall
from ..transfer import Seen, unseen
from .backstage import Backstage
from .outcome import Outcome
from .session_changes import SessionChanges
from .turn import Turn


class Session(SessionChanges):
    """One story. Made by `Earwitness.session`; its calls may be made from many threads at once."""

    @property
    def id(self) -> str:
        """Session id."""
        return self._behind.id

    @property
    def cast(self) -> Cast:
        """Everybody in the session, as of the last decided entry."""
        return self._behind.cast

    @property
    def state(self) -> State:
        """The state, as of the last decided entry."""
        return self._behind.state

    def turn(
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
        return Turn(
            self._call,
            self._call(
                self._behind.turn,
                character,
                before=before,
                query=query,
                in_prompt=in_prompt,
                context=context,
                channel=channel,
                filter=filter,
                **recall,
            ),
        )

    def memories(self, character: str, *, channel: Channel | None = None) -> Recall:
        """All of a character's own memories that guards let be recalled in a channel, in the order learned. Nothing is
        searched, and no shared container read. Raises `UnknownName`, `InputError`, `StorageError`."""
        return self._call(self._behind.memories, character, channel=channel)

    def say(
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
        return Outcome(
            self._call,
            self._call(
                self._behind.say,
                speaker,
                content,
                key=key,
                speak_as=speak_as,
                present=present,
                audience=audience,
                place=place,
                context=context,
                channel=channel,
                metadata=metadata,
                in_turn=in_turn,
            ),
        )

    def say_all(self, messages: Iterable[Mapping[str, Any]]) -> list[Outcome]:
        """Report many messages at once: each is a table of what `say` takes. They are stored in this order, durable on
        return, all or none. This is many times faster than single calls. Other calls wait meanwhile, so report some
        hundred at a time. Raises as `say`, naming the message, and `InputError` for what `say` would not take."""
        return [Outcome(self._call, each) for each in self._call(self._behind.say_all, messages)]

    def edit(
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
        return Outcome(
            self._call,
            self._call(
                self._behind.edit, key, content, present=present, audience=audience, own_key=own_key, metadata=metadata
            ),
        )

    def reroll(
        self, content: str, *, key: str | None = None, own_key: str | None = None, metadata: Notes = None
    ) -> Outcome:
        """Replace the last message, or the one with this key, by another answer. Raises as `edit`."""
        return Outcome(
            self._call, self._call(self._behind.reroll, content, key=key, own_key=own_key, metadata=metadata)
        )

    def retract(self, target: str, *, by: str = "author", own_key: str | None = None) -> Outcome:
        """Retract a message or change (by key) or one memory (by id), with everything that rested on it.
        The id of the world's copy of a message means the whole message. What was retracted before returns the first
        outcome. Raises `UnknownName` for an unknown key or id, `InputError` for that of an edit, reroll, retraction,
        and for nobody in `by`."""
        return Outcome(self._call, self._call(self._behind.retract, target, by=by, own_key=own_key))

    def remember(
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
        return Outcome(
            self._call,
            self._call(
                self._behind.remember,
                character,
                content,
                type=type,
                container=container,
                rests_on=rests_on,
                knowers=knowers,
                how=how,
                shared_from=shared_from,
                trust=trust,
                rule=rule,
                identity=identity,
                metadata=metadata,
                channel=channel,
                key=key,
            ),
        )

    def derive(self, derivation: Derivation, *, key: str | None = None) -> Outcome:
        """Write a derived memory as plugins propose it, with all that it says of itself. Raises as `remember`."""
        return Outcome(self._call, self._call(self._behind.derive, derivation, key=key))

    def tell(
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
        return Outcome(
            self._call,
            self._call(
                self._behind.tell,
                teller,
                listener,
                memory,
                content=content,
                day=day,
                channel=channel,
                rule=rule,
                how=how,
                trust=trust,
                metadata=metadata,
                key=key,
            ),
        )

    def archive(
        self, *memories: MemoryRef, newer: bool = False, dropped: str | None = None, key: str | None = None
    ) -> Outcome:
        """Take memories out of recall; `restore` puts them back. A key means all copies. With `newer`, a turn `before`
        this recalls them still. `dropped`: why to strike what no store has. Raises `UnknownName`, `InputError`."""
        return Outcome(self._call, self._call(self._behind.archive, *memories, newer=newer, dropped=dropped, key=key))

    def restore(self, *memories: MemoryRef, key: str | None = None) -> Outcome:
        """Put archived memories back into recall. Retracted ones stay retracted. Raises as `archive`."""
        return Outcome(self._call, self._call(self._behind.restore, *memories, key=key))

    def messages(
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
        return self._call(
            self._behind.messages,
            before=before,
            after=after,
            speaker=speaker,
            heard_by=heard_by,
            channel_id=channel_id,
            channel=channel,
            limit=limit,
            retracted=retracted,
        )

    def has(self, key: str) -> bool:
        """Whether a message or any other call has this key, even if it was retracted since."""
        return self._call(self._behind.has, key)

    def outcome(self, key: str) -> Outcome:
        """The outcome that the first call with this key returned; its `created` is `False`. Raises `UnknownName`."""
        return Outcome(self._call, self._call(self._behind.outcome, key))

    def settled(self, timeout: float | None = None) -> None:
        """Wait until everything reported so far is decided, and remembered by those who perceived it. Raises what kept
        an entry from being decided, and `NotYetApplied` if the store fails, or takes longer than `timeout` seconds."""
        self._call(self._behind.settled, timeout)

    def delivered(self, timeout: float | None = None, *, retry_refused: bool = False) -> None:
        """Wait until the store holds everything due that it does not refuse. With `retry_refused`, put again what it
        has refused, which it must take now. Raises as `settled`."""
        self._call(self._behind.delivered, timeout, retry_refused=retry_refused)

    def fork(self, id: str, *, at: str | int | None = None, seen: Seen = unseen) -> Session:
        """A branch: a session of its own that shares this one's past up to `at` (key or sequence number; default now).
        Nobody is asked again. Forking to the same id again returns that branch. `seen` is called with each number of
        entries written. Raises `UnknownName` for an unknown key, `ContainerCollision` for a taken id, `InvalidId`."""
        return Session(self._call, self._call(self._behind.fork, id, at=at, seen=seen))

    def forget(self, character: str, *, key: str | None = None) -> None:
        """Remove a character and their container for good. What others remember about them stays."""
        self._call(self._behind.forget, character, key=key)

    def backstage(self, role: str = "author", *, persona: str | None = None) -> Backstage:
        """The view that no character may see: who knows what, and how. The `role` is recorded with what is done. A
        `player` sees only what their `persona` remembers (a character's id or name, or a `persona_id`); an `owner`,
        `author` or `designer` sees everything. Raises `UnknownName`, and `InputError` for a player without persona."""
        return Backstage(self._call, self._behind.backstage(role, persona=persona))
