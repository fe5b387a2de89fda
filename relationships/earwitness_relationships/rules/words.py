"""The words that a rule file may hold: ids, slugs, names of relation types."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

from earwitness.ids import check_shared_id, check_visible
from earwitness.patterns import lazy_pattern
from earwitness.records.state import Day

LONGEST_WORD = 80
_WORD = lazy_pattern(rf"\w[\w-]{{0,{LONGEST_WORD - 1}}}")
_NEVER_IN_IDS = lazy_pattern(r"[{}()\[\]<>;`\"\\$|=]")


def check_personality(id: str) -> str:
    """Return the id of a personality. Raises `InvalidId`, and `ValueError` for one that holds code."""
    if found := _NEVER_IN_IDS.search(id):
        raise ValueError(f"personality {id!r} holds {found[0]!r}, which no id may contain. Use a name or an id.")
    return check_visible("personality", check_shared_id("personality", id))


def check_word(word: str) -> str:
    """Return a slug, or the name of a relation type or pantheon type. Raises `ValueError`."""
    if not _WORD.fullmatch(word):
        raise ValueError(
            f"{word!r} is not a word. Use letters, digits, _ and -, at most {LONGEST_WORD} of them, and begin with a "
            "letter or digit."
        )
    return word


def _one_or_more(given: Any) -> Any:
    """A single word stands for a list of one."""
    return (given,) if isinstance(given, str) else given


PersonalityId = Annotated[str, Field(strict=True), AfterValidator(check_personality)]
"""Id of a personality, as the cast knows it."""
Word = Annotated[str, Field(strict=True), AfterValidator(check_word)]
"""A slug, or the name of a type."""
PersonalityIds = Annotated[tuple[PersonalityId, ...], BeforeValidator(_one_or_more)]
"""Ids of personalities; one alone may be written without a list."""
WordList = Annotated[tuple[Word, ...], BeforeValidator(_one_or_more)]
"""WordList; one alone may be written without a list."""
Weight = Annotated[float, Field(strict=True, ge=0, le=1_000_000, allow_inf_nan=False)]
"""How strong a relation is."""
DayCount = Annotated[float, Field(strict=True, ge=0, le=1_000_000, allow_inf_nan=False)]
"""A number of game days."""
GameDay = Annotated[Day, Field(strict=True)]
"""A game day."""
Hops = Annotated[int, Field(strict=True, ge=0, le=100)]
"""The number of hops something may take."""
Quota = Annotated[int, Field(strict=True, ge=0, le=1_000_000_000)]
"""A number of people or tellings."""
