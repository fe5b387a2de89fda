"""What the words of one line say about whom it is for: who is called by name or as `sir`, and if it is for many."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from earwitness.patterns import lazy_pattern
from earwitness.records.character import Character

from ..text.fragments import fragments
from ..text.guards import guarded_pattern
from ..text.names import Mention, Names
from ..text.privacy import Confinement, confinement
from ..text.stretches import Fragment
from ..text.vocatives import addressed

_YOU = guarded_pattern(r"\b(?:you|your|yours|yourself|ye|thou|thee|thy|thine)\b", re.IGNORECASE)
_MANY = guarded_pattern(
    r"\b(?:gentlemen|ladies|everybody|everyone|every\s+body|all\s+of\s+(?:us|you)|both\s+of\s+you|(?:you|we|us)\s+all|"
    r"you\s+(?:two|three|both|fellows|people|boys|girls|guys)|boys|girls|children|friends|folks|comrades|yourselves)\b",
    re.IGNORECASE,
)
_SET_OFF = r"(?:\A|[,.;!?—-])\s*(?:(?:my|dear|good|yes|no|oh|ah|well)[ ,]+)*"
_CLOSED = r"\b(?=\s*(?:[,.;!?—-]|\Z))"
_TO_A_MAN = guarded_pattern(
    rf"{_SET_OFF}(?:sir|papa|daddy|dad|father|my\s+lord|old\s+(?:man|boy|chap|fellow)|dear\s+(?:fellow|boy|sir)|"
    rf"my\s+(?:boy|son)|uncle){_CLOSED}",
    re.IGNORECASE,
)
_TO_A_WOMAN = guarded_pattern(
    rf"{_SET_OFF}(?:ma['’]?am|mamma|mama|mum|mummy|mother|madam|miss|my\s+(?:lady|girl)|aunt(?:ie)?|dear\s+(?:girl|lady))"
    rf"{_CLOSED}",
    re.IGNORECASE,
)
_MAN = lazy_pattern(r"(?:mr|sir|lord|duke|king|prince|uncle|brother|count|baron|father)\b", re.IGNORECASE)
_WOMAN = lazy_pattern(
    r"(?:mrs|miss|ms|lady|duchess|queen|princess|aunt|sister|countess|baroness|madame|mother)\b", re.IGNORECASE
)
_MISTER = lazy_pattern(r"\b(?:mr|mister|sir|lord|uncle)\b\.?\s+\Z", re.IGNORECASE)
_MISTRESS = lazy_pattern(r"\b(?:mrs|miss|ms|lady|aunt)\b\.?\s+\Z", re.IGNORECASE)
_PITIED = lazy_pattern(r"\bpoor\s+(?:\w+\.?\s+){0,2}\Z", re.IGNORECASE)
_NEAR = 20
_MARKUP = lazy_pattern(r'["“«„「*\[(/]|ooc', re.IGNORECASE)
_TURNS_TO = lazy_pattern(
    r"\b(?:(?:turn|speak|talk|say|call|nod|smile|look|wink|wave|point)(?:s|ed|ing)?\s+(?:\w+ly\s+)?(?:to|at|towards?)|"
    r"(?:ask|tell|greet|answer|thank|address)(?:s|es|ed|ing)?)\s+\Z",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class LineWords:
    """One line, read."""

    called: frozenset[str] = frozenset()
    """Ids of those spoken to by name, or turned to in action text."""
    named: frozenset[str] = frozenset()
    """Ids of those who are only talked about."""
    you: bool = False
    """It holds `you`."""
    many: bool = False
    """It is for several: `gentlemen`, `all of you`."""
    men: bool = False
    """Somebody is called `sir`, `papa`, …"""
    women: bool = False
    """Somebody is called `madam`, `mamma`, …"""
    confined: Confinement | None = None
    """Who alone may perceive it; `None` when it is open."""


def with_forms(words: LineWords, text: str, *, titled: bool = True) -> LineWords:
    """The words, and what the text calls its listeners; `sir` and `madam` only where somebody is `titled`."""
    return LineWords(
        called=words.called,
        named=words.named,
        confined=words.confined,
        you=bool(_YOU.search(text)),
        many=bool(_MANY.search(text)),
        men=titled and bool(_TO_A_MAN.search(text)),
        women=titled and bool(_TO_A_WOMAN.search(text)),
    )


class Titles:
    """Those of a cast who have a title that `sir` or `madam` asks for."""

    def __init__(self, members: Sequence[Character]) -> None:
        self._men = frozenset(member.id for member in members if _titled(_MAN, member))
        self._women = frozenset(member.id for member in members if _titled(_WOMAN, member))
        self.any: bool = bool(self._men or self._women)
        """Whether anybody has one."""

    def fits(self, words: LineWords, id: str) -> bool:
        """Whether `sir` or `madam` in these words is what this character's title asks for."""
        return (words.men and id in self._men) or (words.women and id in self._women)

    def is_mans(self, id: str) -> bool:
        """Whether it is a man's."""
        return id in self._men

    def is_womans(self, id: str) -> bool:
        """Whether it is a woman's."""
        return id in self._women


class LineParser:
    """Reads the lines of one cast; each line once, as long as it is among the last few hundred."""

    def __init__(self, members: Sequence[Character]) -> None:
        self._names = Names(members)
        self._members = {member.id: member for member in members}
        self.titles = Titles(members)
        self.read = lru_cache(maxsize=512)(self._read)

    def _read(self, content: str, speaker: str) -> LineWords:
        text = content.replace("_", "")
        found: tuple[Fragment, ...] = ()
        if _MARKUP.search(content):
            found = fragments(content, own=self._members[speaker].names)
            text = "\n".join(piece.text for piece in found if piece.kind == "spoken")
        mentions = [mention for mention in self._names.find(text) if not self._is_anothers(mention, text)]
        vocatives = addressed(
            text,
            [
                mention
                for mention in mentions
                if not _PITIED.search(text[max(0, mention.start - _NEAR) : mention.start])
            ],
        )
        if speaker in vocatives:  # nobody calls himself: it is a list of names
            vocatives = ()
        called = frozenset((*vocatives, *self._turned_to(found))) - {speaker}
        words = LineWords(
            called=called,
            named=frozenset(mention.id for mention in mentions) - called - {speaker},
            confined=confinement(found, self._names, vocatives, narrator=False) if found else None,
        )
        return with_forms(words, text)

    def _is_anothers(self, mention: Mention, text: str) -> bool:
        """`Mr. Lane` is not the Mrs. Lane we know."""
        before = text[max(0, mention.start - _NEAR) : mention.start]
        if _MISTER.search(before):
            return self.titles.is_womans(mention.id)
        return self.titles.is_mans(mention.id) and bool(_MISTRESS.search(before))

    def _turned_to(self, found: Iterable[Fragment]) -> Iterator[str]:
        for piece in found:
            if piece.kind == "action":
                mentions = self._names.find(piece.text)
                yield from (m.id for m in mentions if not m.possessive and _TURNS_TO.search(piece.text[: m.start]))


def _titled(title: re.Pattern[str], member: Character) -> bool:
    return any(title.match(name) for name in member.names)
