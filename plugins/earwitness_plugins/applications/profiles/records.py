"""What a profile says."""

from __future__ import annotations

from itertools import groupby
from typing import Literal

from earwitness import Record, Usage
from earwitness.records.prose import counted, number
from earwitness.records.state import Day

ProfileBy = Literal["extract", "model"]
"""Who says it: `extract` quotes the memories, `model` sums them up."""


class ProfileClaim(Record):
    """One thing that a character thinks of somebody, or knows of them."""

    text: str
    """A sentence: a quotation, or a model's words."""
    evidence: tuple[str, ...]
    """Ids of the memories that it rests on, oldest first; all of them are the character's own."""
    since: Day
    """The game day on which the first of them was learned."""
    day: Day
    """The game day on which the last of them was learned."""
    unsayable: str | None = None
    """Why one of these memories must not be said in this channel; `None` = all may be."""

    def __str__(self) -> str:
        return f"{self.text} (day {number(self.day)}; {', '.join(self.evidence)})"


class Profile(Record):
    """What a character thinks of another one. It is for the host: nothing of it is put into a prompt by itself."""

    character: str
    """Character id: whose memories it rests on."""
    of: str
    """Character id of the other; of a user, that of their persona."""
    by: ProfileBy
    """Who says it."""
    claims: tuple[ProfileClaim, ...] = ()
    """What is thought, by the day it was last shown."""
    memories: int = 0
    """Number of memories about the other that it was made from."""
    version: str | None = None
    """Name and version of the prompt."""
    usage: Usage | None = None
    """The model that was asked and what that cost; `None` = none, or an earlier answer that still holds."""
    notes: tuple[str, ...] = ()
    """What was left out of a model's answer, or why it was not asked."""
    failures: tuple[str, ...] = ()
    """What failed: guards, which then withhold every memory, the store, or the model."""

    def __str__(self) -> str:
        about = f"{self.character} on {self.of}, from {counted(self.memories, 'memory', 'memories')} (by {self.by})"
        return "\n".join([about, *(f"  {each}" for each in self.claims)])

    @property
    def days(self) -> dict[float, tuple[ProfileClaim, ...]]:
        """Game day → the claims that were last shown on it, in the order of days."""
        return {day: tuple(claims) for day, claims in groupby(self.claims, key=lambda each: each.day)}
