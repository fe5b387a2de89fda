"""The cast as stage directions name it: persons by part of a name or title, groups, and numbered members of groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from earwitness.patterns import lazy_pattern
from earwitness.records.character import Character

from ..text.names import fold
from . import vocabulary as words

_WORD = lazy_pattern(r"[^\W_]+")
_SUFFIX = lazy_pattern(r"_(?=[A-Z0-9])(?=\w*[A-Z])[A-Z0-9][A-Za-z0-9]{0,3}\Z")
_CAMEL = lazy_pattern(r"(?<=[a-z])(?=[A-Z0-9])")
_OWNER = lazy_pattern(r"[\w.]+['’](?:s\b)?")


@dataclass(frozen=True, slots=True)
class CastEntry:
    """One member of the cast, as a cast list writes them."""

    id: str
    """Character id."""
    words: frozenset[str]
    """The words of the name in small letters, in the singular; none that name nobody."""
    heads: frozenset[str]
    """Of these, what they are a kind of: `Messenger` in `MESSENGERS.TRIBUNES.1`."""
    number: int
    """Of several alike: `Outlaws 2`, `Second Outlaw`; 0 = not numbered."""
    owners: frozenset[str]
    """Whose they are: `Isidore's Man`."""
    several: bool
    """A group: `Attendants`, `Lords and Ladies`."""
    anonymous: bool
    """Numbered 0: whoever of them is about."""
    list: bool
    """A catch-all at the end of a cast list: `Messengers, Servants, a Lord, Soldiers`."""

    @property
    def proper(self) -> frozenset[str]:
        """What only names, and neither ranks nor groups: `York` in `Duke of York`."""
        return self.words - words.TITLES


class DramatisPersonae:
    """The parts of a play."""

    def __init__(self, members: Sequence[Character]) -> None:
        self.parts = {
            member.id: _part(member.id, name)
            for member in members
            if member.kind != "narrator"
            for name in [member.name]
        }
        self.aliases = {member.id: [_part(member.id, name) for name in member.aliases] for member in members}
        persons = [word for part in self.parts.values() if not (part.several or part.number) for word in part.proper]
        self.families = frozenset(word for word, times in Counter(persons).items() if times > 1)
        self.known = frozenset(word for part in self.parts.values() for word in part.words)

    def best(self, phrase: str, among: Iterable[str]) -> list[CastEntry]:
        """Those whose name shares most with the phrase, of these ids; none when it shares nothing that names."""
        wanted, owners = tokens(phrase), _owners(phrase)
        last = next((word for word in reversed(_ordered(phrase)) if word in self.known), "")
        scored = [
            (_score(wanted, owners, last, part) - 2 * len(wanted & part.proper & self.families), self.parts[id])
            for id in among
            if id in self.parts
            for part in (self.parts[id], *self.aliases.get(id, ()))
        ]
        most = max((score for score, _ in scored), default=0)
        best = [part for score, part in scored if score == most] if most > 0 else []
        return list({part.id: part for part in best}.values())

    def mistaken_for(self, id: str, here: Iterable[str]) -> list[str]:
        """Those here who go by the same name, or are of the same kind: `Enter a Messenger` does not say which."""
        part = self.parts.get(id)
        if part is None or part.several:
            return []
        others = (self.parts[other] for other in here if other in self.parts and not self.parts[other].several)
        return [other.id for other in others if other.words == part.words or part.proper & other.proper - words.KINDS]

    def group_on(self, id: str, here: Iterable[str]) -> bool:
        """Whether the group is here that somebody without a name of their own (`First Lord`) is one of."""
        part = self.parts.get(id)
        if (
            part is None
            or part.several
            or not part.heads & words.KINDS
            or (not part.number and part.proper - words.KINDS)
        ):
            return False
        groups = (self.parts[other] for other in here if other in self.parts and self.parts[other].several)
        return any(group.heads & part.heads & words.KINDS for group in groups)


def _score(wanted: frozenset[str], owners: frozenset[str], last: str, part: CastEntry) -> float:
    """How well a phrase names a part: names count most, ranks less; what one has and the other lacks counts against."""
    shared = wanted & part.words
    if not shared & part.heads:
        return 0
    proper, missing = shared - words.TITLES, part.proper - wanted
    beyond = wanted - part.words - words.TITLES - words.COMMON
    if not proper and missing and beyond:
        return 0  # the Duke of Kent is not the Duke of York
    against = 3 * min(len(missing), len(beyond)) + len(missing) + 2 * len((part.words & words.TITLES) - wanted)
    for_it = 10 * len(proper) + 4 * len(shared & words.TITLES) + (wanted == part.words) + (last in part.words)
    return max(0.5, for_it - against) + 5 * bool(owners & part.owners) - 0.3 * bool(part.owners - owners)


def tokens(phrase: str) -> frozenset[str]:
    """The words of a phrase that may name somebody, in the singular; whose they are is left out."""
    return frozenset(_ordered(phrase))


def _ordered(phrase: str) -> list[str]:
    found = (singular(fold(word)) for word in _WORD.findall(_OWNER.sub(" ", phrase)) if not word.isdigit())
    return [word for word in found if word not in words.NO_NAMES and len(word) > 1]


def _owners(phrase: str) -> frozenset[str]:
    """`isidore` in `Isidore's Man`."""
    return frozenset(
        singular(fold(owner)) for match in _OWNER.finditer(phrase) for owner in _WORD.findall(match[0])[:1]
    )


def singular(word: str) -> str:
    """`soldiers` → `soldier`, `watchmen` → `watchman`, `ladies` → `lady`; a name that ends in s may lose it too."""
    if word.endswith("men"):
        word = f"{word[:-3]}man"
    if word.endswith("sman"):
        return word[:-4]
    if word.endswith(("ches", "shes", "xes")):
        return word[:-2]
    if word.endswith("ieves"):
        return f"{word[:-3]}f"
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith("s") and not word.endswith("ss") and len(word) > 3:
        return word[:-1]
    return word


def is_plural(word: str) -> bool:
    """Whether a word of a direction or cast list means several of a kind."""
    small = fold(word)
    return small in words.COLLECTIVE or (singular(small) != small and singular(small) in words.KINDS)


def _part(id: str, name: str) -> CastEntry:
    written = _CAMEL.sub(" ", _SUFFIX.sub("", name))
    written = written if written.count(",") > 1 else _OWNER.sub(" ", written)
    own = [word for word in _WORD.findall(written) if not (len(word) == 1 and not word.isdigit())]
    listed = written.count(",") > 1
    number = _number(own)
    shouted = len(own) > 0 and own[0].isupper() and len(own[0]) > 2 and "_" in name
    plural = bool(own) and (any(is_plural(word) for word in own) or (shouted and own[0].endswith(("S", "EN"))))
    named_within = shouted and any(word[0].isupper() and not word.isupper() for word in own[1:])
    return CastEntry(
        id=id,
        words=frozenset(_meaning(own)),
        heads=_heads(own) if shouted else frozenset(_meaning(own)),
        owners=_owners(name),
        number=0 if listed else number,
        anonymous="0" in own[-1:],
        several=listed or (plural and not number and not named_within),
        list=listed,
    )


def _heads(own: Sequence[str]) -> frozenset[str]:
    """The groups in `SOLDIERS.CAPTAINS.1`, and the name in `SERVANTS.Peter`; not whose they are, `SOLDIERS.YORK`."""
    groups = [own[0], *(word for word in own[1:] if word.isupper() and singular(fold(word)) in words.TITLES)]
    named = [word for word in own[1:] if word.istitle() and singular(fold(word)) not in words.TITLES]
    return frozenset(singular(fold(word)) for word in (*groups, *named))


def _meaning(own: Sequence[str]) -> Iterable[str]:
    for before, word in pairwise(["", *own]):
        small = singular(fold(word))
        if not word.isdigit() and small not in words.NO_NAMES and not (before and word == "X"):
            yield small


def _number(own: Sequence[str]) -> int:
    digits = [int(word) for word in own if word.isdigit()]
    if digits:
        return digits[-1]
    return next((words.ORDINALS[fold(word)] for word in own if fold(word) in words.ORDINALS), 0)
