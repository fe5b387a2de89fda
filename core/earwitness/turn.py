"""A turn: START has recalled, MIDDLE fills the prompt, END reports the answer. A turn offers only guarded reads."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from typing import Any, Protocol

from .engine import Engine
from .errors import InputError, SettingsError, WallError, quoted, unknown
from .live import Live
from .loading.settings import FillSettings, RecallSettings
from .middle.conversation import conversation
from .middle.fill import SYSTEM_ROLES, Prompt, fill
from .middle.lines import Labels
from .middle.render import render, render_section
from .outcome import Outcome
from .records.channel import Channel, Context
from .records.journal import Entry, Revised, Said
from .records.plan import Answer
from .start.host_request import RecallRequest
from .start.recall import recall
from .start.recalled import PerceivedMessage, Recall, Recalled
from .start.unguarded import tell_host
from .validation.arguments import several, texts

UNSETTLED = "it was not settled in time"


class Sayer(Protocol):
    """What a turn needs of a session."""

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
        """Report what a character said."""
        ...


class Turn:
    """One character's turn, from recall to saying."""

    def __init__(
        self,
        session: Sayer,
        engine: Engine,
        live: Live,
        recalled: Recall,
        request: RecallRequest,
        waiting: Sequence[Entry],
    ) -> None:
        self._session = session
        self._engine = engine
        self._live = live
        missed = [each for each in waiting if request.before is None or each.sequence < request.before.sequence]
        why = {**recalled.why_pending, **dict.fromkeys([each.key for each in missed], UNSETTLED)}
        self._recalled = recalled.model_copy(update={"pending": tuple(why), "why_pending": why})
        self._channel = request.channel
        self._before = request.before
        self._undecided = {entry.body.content for entry in waiting if isinstance(entry.body, Said | Revised)}

    @classmethod
    async def begin(
        cls,
        session: Sayer,
        engine: Engine,
        live: Live,
        settings: RecallSettings,
        request: RecallRequest,
        waiting: Sequence[Entry],
    ) -> Turn:
        """START. See `Session.turn`."""
        with engine.foreground.recalling():
            found = await recall(engine, live, settings, request)
        tell_host(engine, live, request.channel, found.memories)
        return cls(session, engine, live, found, request, waiting)

    def __repr__(self) -> str:
        return f"<Turn of {self.character!r}, {len(self.memories)} memories>"

    def __str__(self) -> str:
        return str(self._recalled)

    @property
    def character(self) -> str:
        """Whose turn it is."""
        return self._recalled.character

    @property
    def query(self) -> str:
        """The query that the recall used."""
        return self._recalled.query

    @property
    def memories(self) -> tuple[Recalled, ...]:
        """The recalled memories, in a stable order, each with its reasons."""
        return self._recalled.memories

    def sections(self) -> dict[str, tuple[Recalled, ...]]:
        """The same memories by section, her own (`memories`) first; every section that was asked for is there."""
        found = self._recalled
        return {
            section.name: tuple([each for each in found.memories if each.section == section.name])
            for section in found.sections
        }

    @property
    def notes(self) -> tuple[str, ...]:
        """Lines from plugins, shown before the memories."""
        return self._recalled.notes

    @property
    def messages(self) -> tuple[PerceivedMessage, ...]:
        """The last messages as the character perceived them, oldest first: what a prompt holds besides memories.

        None that a guard withholds or forbids to say here, or that was retracted. `story.turn(…, last=5)` says how
        many; `recall.last` is the setting.
        """
        return self._recalled.messages

    @property
    def pending(self) -> tuple[str, ...]:
        """Keys of messages that may still bring this character a memory: the recall did not wait for them; or a guard
        failed, and what is due of them waits until it can be asked; or gossip about them waits for a model."""
        return self._recalled.pending

    @property
    def why_pending(self) -> Mapping[str, str]:
        """Each of these keys → why, in plain words."""
        return self._recalled.why_pending

    @property
    def failures(self) -> tuple[str, ...]:
        """Plugins, guards and read providers that failed, and reads that were refused. A failing guard withheld all.

        A field of `filter` that no memory has is reported too: `filter: no memory here has 'locaton'. Did you mean …`.
        """
        return self._recalled.failures

    @property
    def consulted(self) -> tuple[Answer, ...]:
        """Plugins and guards that asked a model about this recall, left something out or failed: notes and costs."""
        return self._recalled.consulted

    def fill(
        self,
        prompt: Prompt,
        memories: Sequence[Recalled] | None = None,
        *,
        roles: Collection[str] = SYSTEM_ROLES,
        **changes: Any,
    ) -> Prompt:
        """MIDDLE: put the memories where the prompt has `###SUPERMEMORY###`.

        `prompt` is a system prompt; a list of messages with `role` and `content`, of which those in `roles` are filled;
        or one such message, of any role. What was said in the story is never filled. `memories` may be fewer of this
        turn's; `changes` override settings of `FillSettings`, such as `format="json"`. Each memory is a line or two;
        with `style="stored"` it is the text with all its sections.
        Raises `WallError` for memories of another turn's character, and for backstage records; `SettingsError`, and
        `InputError` for a prompt or roles that are none.
        """
        mine = self.memories if memories is None else self._mine(memories)
        settings, filled = self._fill_settings(changes), texts("roles", roles)
        said = self._live.said | self._undecided
        return fill(
            prompt,
            mine,
            settings,
            self.notes,
            sections=self._recalled.sections,
            labels=self._labels,
            roles=filled,
            messages=said,
        )

    def prompt(self, system: str, user: str = "", **changes: Any) -> list[dict[str, str]]:
        """MIDDLE, whole: the system prompt with its memories, and the last messages after it, for a model's API.

        What the character said has the role `assistant`; what others said has the role `user`, each message behind a
        name, with its further lines indented, so that no text passes for somebody else's. Neighbours of one role are
        joined. `user` comes last, such as "Answer as Bob." How many messages there are was said when the turn began:
        `story.turn("bob", last=5)`, or `recall.last`. Other arguments and errors are as in `fill`.
        """
        filled = {"role": "system", "content": self.fill(system, **changes)}
        return [filled, *conversation(self.messages, user)]

    def text(self, section: str | None = None, **changes: Any) -> str:
        """The block of memories by itself, as `fill` would put it; or that of one section, without its heading.

        Raises `SettingsError`, and `UnknownName` for a section that was not asked for.
        """
        settings = self._fill_settings(changes)
        if section is None:
            return render(self.memories, settings, self.notes, self._recalled.sections, self._labels)
        if section not in (names := [each.name for each in self._recalled.sections]):
            raise unknown("section", section, names)
        return render_section(self.memories, section, settings, self._labels)

    async def say(
        self,
        content: str,
        *,
        key: str | None = None,
        present: Iterable[str] | None = None,
        audience: Iterable[str] | None = None,
        **more: Any,
    ) -> Outcome:
        """END: what the character says. See `Session.say`.

        Raises `InputError` in a turn `before=` an earlier message: `Session.reroll` reports another answer there.
        """
        if self._before is not None:
            raise InputError(
                f"this turn was begun before {self._before.key!r}, but say() would add a message at the story's end. "
                f"Report the other answer with story.reroll(text, key={self._before.key!r})."
            )
        more = more if "context" in more else {"channel": self._channel, **more}
        who_is_there: dict[str, Any] = {"present": present, "audience": audience}
        return await self._session.say(self.character, content, key=key, in_turn=True, **who_is_there, **more)

    def through(self, session: Sayer) -> Turn:
        """The same turn, whose `say` goes through another object, such as one that may refuse it."""
        turn = copy(self)
        vars(turn)["_session"] = session
        return turn

    def _fill_settings(self, changes: Mapping[str, Any]) -> FillSettings:
        late = next((key for key in changes if key in RecallSettings.model_fields), None)
        if late is not None:
            raise SettingsError(
                f"{late} = {quoted(changes[late])} comes too late: the recall is over. Give it as the turn begins: "
                f"story.turn({self.character!r}, {late}=…), or set it in [recall]."
            )
        return self._engine.settings.fill_with(changes)

    @property
    def _labels(self) -> Labels:
        cast = self._live.snapshot.cast
        return Labels(cast.name_of, self._engine.settings.calendar.show)

    def _mine(self, memories: Sequence[Recalled]) -> Sequence[Recalled]:
        for each in (memories := several("memories", memories)):
            if isinstance(each, Recalled) and each not in self.memories:
                raise WallError(f"memory {each.memory.id!r} was not recalled in this turn of {self.character!r}.")
        return memories
