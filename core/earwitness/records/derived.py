"""Memories that are not messages: facts, summaries, notes, reconciled memories."""

from __future__ import annotations

from collections.abc import Collection

from pydantic import Field, field_validator, model_validator

from ..containers import Container
from .base import Record
from .memory import Interaction
from .memory_types import MetaValue, without_null
from .prose import gist
from .state import Day


class Derivation(Record):
    """A memory that a plugin proposes or a host writes, and what it rests on."""

    content: str
    """What is remembered."""
    owner: str | None = None
    """The character id, or `world`, whose container in this session receives it."""
    container: str | None = None
    """Name of a registered container outside the session. Give either this or `owner`."""
    registers: Container | None = None
    """The container of that name, outside any session. It is registered with the memory if it is not yet."""
    admits: tuple[str, ...] = ()
    """Personality ids of those who become members of the container when the memory registers it."""
    type: str = "fact"
    """Metadata `type`, such as `fact`, `summary`, `note`, `reconciled`."""
    metadata: dict[str, MetaValue] = {}
    """Further metadata, in camelCase or snake_case."""
    rests_on: tuple[str, ...] = ()
    """Memory ids and message keys. Retracting any of them removes the derived memory too."""
    knowers: tuple[str, ...] = ()
    """Ids of the characters on whose knowledge it rests: each of them must have all of its grounds. What a guard keeps
    from one of them, or one of them never received, is kept from its container. With or without: what a guard keeps
    from somebody reaches no container beyond the session that is for them (a persona's, a user's, a canon)."""
    instead: tuple[Derivation, ...] = ()
    """What is written in its place where a guard keeps a ground from one of its knowers, or from one whom its container
    is for: memories for the others. Each is checked by itself, and belongs to the same entry."""
    replaces: bool = False
    """Whether all that it rests on in its owner's container leaves recall with it, as for a summary. That comes back
    when the derived memory goes. It counts as learned when the last of its grounds was."""
    rule: str = ""
    """What derived it, shown by `explain`."""
    how: Interaction = "direct"
    """How those who read it know it."""
    shared_from: str | None = None
    """Id of the character from whom they know it; `None` = nobody in particular."""
    trust: float = Field(default=1.0, ge=0, le=1)
    """How far they believe it, from 0 to 1."""
    identity: str | None = None
    """Derivations of one story for one container that have the same identity are supports of one memory."""
    due: Day | None = None
    """The game day on which it arrives. `None`, or a day before its grounds are known = as soon as possible."""

    _readable = field_validator("metadata", mode="before")(without_null)

    @model_validator(mode="before")
    @classmethod
    def _recorded_before(cls, given: object) -> object:
        """Journals and plans of earlier versions call the content `text`."""
        if isinstance(given, dict) and "text" in given and "content" not in given:
            return {("content" if key == "text" else key): value for key, value in given.items()}
        return given

    def text(self, source: str, received: Collection[str]) -> str:
        """For whom it is derived, in words, and from which of its knowers its ground is kept: `received` are the owners
        of what somebody receives of the message or entry with the key `source`."""
        rests_on_it = source in self.rests_on or not self.rests_on
        missing = next((id for id in self.knowers if rests_on_it and id not in received), None)
        struck = "" if missing is None else f" [struck: {missing} does not receive what it rests on]"
        return f"derived for {self.owner or self.container}: {gist(self.content)}{struck}"
