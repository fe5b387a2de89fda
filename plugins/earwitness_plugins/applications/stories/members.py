"""What is there before the first step of a story: members of the cast, and what they know."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from earwitness.records.base import Record
from earwitness.records.character import Character, CharacterKind

SomeText = Annotated[str, Field(min_length=1)]


class StoryMember(Record):
    """A member of the cast; a bare id will do."""

    id: str
    """Id, unique in the story."""
    name: str = ""
    """Display name. Default: the id in title case."""
    aliases: tuple[str, ...] = ()
    """Other names."""
    kind: CharacterKind = "character"
    """`character`, `persona` (a user's mask) or `narrator`."""
    user_id: str | None = None
    """The user behind a persona."""
    persona_id: str | None = None
    """The user's persona behind the mask, across stories."""
    personality_id: str = ""
    """Who the character is across stories. Default: the id."""

    @model_validator(mode="before")
    @classmethod
    def _bare_id(cls, given: object) -> object:
        return given if isinstance(given, dict | StoryMember) else {"id": given}

    def character(self) -> Character:
        """The member as a `Character`. Raises `InvalidId`."""
        return Character(**self.model_dump())


class StoryLore(Record):
    """A fact of the story's world."""

    text: SomeText
    """The fact."""
    key: str | None = None
    """Its key; an entry with the same key replaces it."""
    known_by: tuple[str, ...] | None = None
    """Ids of those who know it; `None` for everybody."""
    words: tuple[str, ...] = ()
    """Words that bring it to mind, besides its own."""


class StoryPreparation(Record):
    """What was there before the story."""

    plot: str | None = None
    """What the story is about; everybody knows it."""
    cards: dict[str, SomeText] = {}
    """Character id → who the character is; only the character knows it."""
    examples: dict[str, SomeText | tuple[SomeText, ...]] = {}
    """Character id → one example dialogue, or a list of them."""
    lore: tuple[StoryLore, ...] = ()
    """Facts of the story's world."""
