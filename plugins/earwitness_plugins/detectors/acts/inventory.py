"""The phrases for each act in each language, from `detectors/languages/*.toml`, and those of the host's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, get_args

from earwitness.errors import SettingsError

from ..language_files import fillers_of, language_files
from .phrases import Phrases, set_of
from .system_lines import SYSTEM, SystemLines, check_templates, system_lines

Act = Literal[
    "leaves",
    "perhaps",
    "duty",
    "no_duty",
    "until",
    "device",
    "farewell",
    "returns",
    "stays",
    "retracts",
    "sends_off",
    "orders",
    "gone",
    "away",
    "deeds",
    "company",
]
"""What phrases are for: leave that is taken or hinted at; that one has to do something, and what is no such thing
(`I have to say`); until when; that one hears or reads no more (`phone off`); leave that is bid; coming back; staying
after all, and taking leave back (`no, wait`); a wish for one who goes; sending somebody away; that somebody is gone,
and the same behind their name (`Ann is asleep`); leaving, as it is told; and speaking to several at once."""
ACTS: tuple[Act, ...] = get_args(Act)


@dataclass(frozen=True, eq=False, slots=True)
class Inventory:
    """The phrases of all languages together."""

    phrases: Phrases
    """Phrases for acts, as they are said."""
    deeds: Phrases
    """Phrases for leaving, as it is told."""
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
    system: SystemLines
    """Lines that chat programs write: `Ann left the group`."""


OwnPhrases = tuple[tuple[str, tuple[str, ...]], ...]
_OF_SYSTEM = "system."
_KNOWN = (*ACTS, *(_OF_SYSTEM + told for told in SYSTEM))


def own_phrases(phrases: Mapping[str, Sequence[str]] | None) -> OwnPhrases:
    """A host's own phrases, as `inventory` takes them.

    Raises `SettingsError` for an unknown act, and for a phrase that cannot be read.
    """
    for act, each in (phrases or {}).items():
        if act not in _KNOWN:
            raise SettingsError(f"There is no act {act!r} in `phrases`. Acts: {', '.join(_KNOWN)}.")
        if act in ACTS:
            set_of(each, {}, frozenset())
        else:
            check_templates(act.removeprefix(_OF_SYSTEM), each)
    return tuple((act, tuple(each)) for act, each in (phrases or {}).items())


@lru_cache(maxsize=8)
def inventory(own: OwnPhrases = ()) -> Inventory:
    """The inventory of all languages, read once. Raises `SettingsError` for a phrase that cannot be read."""
    files = language_files("acts")
    fillers = fillers_of(files)
    phrases, deeds, doubts = Phrases(), Phrases(), Phrases()
    for file in files:
        _read(file, phrases, deeds, doubts, fillers)
    for act, each in own:
        if act in ACTS:
            (deeds if act == "deeds" else phrases).add(act, each, {}, fillers)
    opens = {file["language"]: frozenset(word.casefold() for word in file["opens"]) for file in files}
    goes_on = {file["language"]: frozenset(word.casefold() for word in file["goes_on"]) for file in files}
    joins = frozenset(word.casefold() for file in files for word in file["joins"])
    pronouns = frozenset(word.casefold() for file in files for word in file["pronouns"])
    own_lines = {act.removeprefix(_OF_SYSTEM): each for act, each in own if act.startswith(_OF_SYSTEM)}
    words = [word for file in files for word in file["system"]["group"]]
    system = system_lines([*((file["system"], file["system"]["group"]) for file in files), (own_lines, words)])
    return Inventory(phrases, deeds, doubts, fillers, goes_on, opens, joins, pronouns, system)


def _read(file: Mapping[str, Any], phrases: Phrases, deeds: Phrases, doubts: Phrases, fillers: frozenset[str]) -> None:
    sets: dict[str, Any] = {}
    for name, each in file.get("words", {}).items():
        sets[name] = set_of(each, sets, fillers)
    for act, each in file["acts"].items():
        (deeds if act == "deeds" else phrases).add(act, each, sets, fillers, file["language"])
    for doubt, each in file["context"].items():
        doubts.add(doubt, each, {}, fillers)
