"""Written by scripts/generate_sync.py from the asynchronous `Turn`. To change it, change that: `make sync`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from ..middle.fill import SYSTEM_ROLES, Prompt
from ..records.plan import Answer
from ..start.recalled import PerceivedMessage, Recalled
from ..turn import Sayer
from ..turn import Turn as AsyncTurn
from .loop import Mirror
from .outcome import Outcome


class Turn(Mirror[AsyncTurn]):
    """One character's turn, from recall to saying."""

    @property
    def character(self) -> str:
        """Whose turn it is."""
        return self._behind.character

    @property
    def query(self) -> str:
        """The query that the recall used."""
        return self._behind.query

    @property
    def memories(self) -> tuple[Recalled, ...]:
        """The recalled memories, in a stable order, each with its reasons."""
        return self._behind.memories

    def sections(self) -> dict[str, tuple[Recalled, ...]]:
        """The same memories by section, her own (`memories`) first; every section that was asked for is there."""
        return self._behind.sections()

    @property
    def notes(self) -> tuple[str, ...]:
        """Lines from plugins, shown before the memories."""
        return self._behind.notes

    @property
    def messages(self) -> tuple[PerceivedMessage, ...]:
        """The last messages as the character perceived them, oldest first: what a prompt holds besides memories.

        None that a guard withholds or forbids to say here, or that was retracted. `story.turn(…, last=5)` says how
        many; `recall.last` is the setting.
        """
        return self._behind.messages

    @property
    def pending(self) -> tuple[str, ...]:
        """Keys of messages that may still bring this character a memory: the recall did not wait for them; or a guard
        failed, and what is due of them waits until it can be asked; or gossip about them waits for a model."""
        return self._behind.pending

    @property
    def why_pending(self) -> Mapping[str, str]:
        """Each of these keys → why, in plain words."""
        return self._behind.why_pending

    @property
    def failures(self) -> tuple[str, ...]:
        """Plugins, guards and read providers that failed, and reads that were refused. A failing guard withheld all.

        A field of `filter` that no memory has is reported too: `filter: no memory here has 'locaton'. Did you mean …`.
        """
        return self._behind.failures

    @property
    def consulted(self) -> tuple[Answer, ...]:
        """Plugins and guards that asked a model about this recall, left something out or failed: notes and costs."""
        return self._behind.consulted

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
        return self._behind.fill(prompt, memories, roles=roles, **changes)

    def prompt(self, system: str, user: str = "", **changes: Any) -> list[dict[str, str]]:
        """MIDDLE, whole: the system prompt with its memories, and the last messages after it, for a model's API.

        What the character said has the role `assistant`; what others said has the role `user`, each message behind a
        name, with its further lines indented, so that no text passes for somebody else's. Neighbours of one role are
        joined. `user` comes last, such as "Answer as Bob." How many messages there are was said when the turn began:
        `story.turn("bob", last=5)`, or `recall.last`. Other arguments and errors are as in `fill`.
        """
        return self._behind.prompt(system, user, **changes)

    def text(self, section: str | None = None, **changes: Any) -> str:
        """The block of memories by itself, as `fill` would put it; or that of one section, without its heading.

        Raises `SettingsError`, and `UnknownName` for a section that was not asked for.
        """
        return self._behind.text(section, **changes)

    def say(
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
        return Outcome(
            self._call, self._call(self._behind.say, content, key=key, present=present, audience=audience, **more)
        )

    def through(self, session: Sayer) -> Turn:
        """The same turn, whose `say` goes through another object, such as one that may refuse it."""
        return Turn(self._call, self._behind.through(session))
