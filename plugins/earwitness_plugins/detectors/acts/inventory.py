"""The phrases for each act in each language, from `detectors/languages/*.toml`, and those of the host's own."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, get_args

from earwitness.errors import SettingsError

from .phrases import Phrases, set_of

Act = Literal["leaves", "perhaps", "farewell", "returns", "stays", "sends_off", "gone", "deeds"]
"""What phrases are for: leave that is taken, hinted at, bid; coming back; staying after all; a wish for one who goes;
that somebody is gone; and leaving, as it is told."""
ACTS: tuple[Act, ...] = get_args(Act)
_LANGUAGES = Path(__file__).parent.parent / "languages"


@dataclass(frozen=True, eq=False, slots=True)
class Inventory:
    """The phrases of all languages together."""

    phrases: Phrases
    """Phrases for acts."""
    doubts: Phrases
    """Phrases that make others mean nothing: conditions, before them and after, reports, talk of words, denials, other
    times."""
    fillers: frozenset[str]
    """Words that count for nothing: `really`."""
    goes_on: Mapping[str, frozenset[str]]
    """Language → words that begin something new where no comma stands: `gotta go my bus is here`."""
    opens: Mapping[str, frozenset[str]]
    """Language → words after which something begins where no comma stands: `ok bye`."""
    joins: frozenset[str]
    """Words that go on with the same subject: `and`."""
    pronouns: frozenset[str]
    """Words that mean whom the text is about: `she`."""


OwnPhrases = tuple[tuple[str, tuple[str, ...]], ...]


def own_phrases(phrases: Mapping[str, Sequence[str]] | None) -> OwnPhrases:
    """A host's own phrases, as `inventory` takes them. Raises `SettingsError` for an unknown act."""
    for act in phrases or {}:
        if act not in ACTS:
            raise SettingsError(f"There is no act {act!r} in `phrases`. Acts: {', '.join(ACTS)}.")
    return tuple((act, tuple(each)) for act, each in (phrases or {}).items())


@lru_cache(maxsize=8)
def inventory(own: OwnPhrases = ()) -> Inventory:
    """The inventory of all languages, read once. Raises `SettingsError` for a phrase that cannot be read."""
    files = [tomllib.loads(path.read_text("utf-8")) for path in sorted(_LANGUAGES.glob("*.toml"))]
    fillers = frozenset(word.casefold() for file in files for word in file["fillers"])
    phrases, doubts = Phrases(), Phrases()
    for file in files:
        _read(file, phrases, doubts, fillers)
    for act, each in own:
        phrases.add(act, each, {}, fillers)
    opens = {file["language"]: frozenset(word.casefold() for word in file["opens"]) for file in files}
    goes_on = {file["language"]: frozenset(word.casefold() for word in file["goes_on"]) for file in files}
    joins = frozenset(word.casefold() for file in files for word in file["joins"])
    pronouns = frozenset(word.casefold() for file in files for word in file["pronouns"])
    return Inventory(phrases, doubts, fillers, goes_on, opens, joins, pronouns)


def _read(file: Mapping[str, Any], phrases: Phrases, doubts: Phrases, fillers: frozenset[str]) -> None:
    sets: dict[str, Any] = {}
    for name, each in file.get("words", {}).items():
        sets[name] = set_of(each, sets, fillers)
    for act, each in file["acts"].items():
        phrases.add(act, each, sets, fillers, file["language"])
    for doubt, each in file["context"].items():
        doubts.add(doubt, each, {}, fillers)
