"""The facts that a model names, and which of them are believed. Pure.

A fact is believed if it quotes a message it was shown, is about somebody who says it or is named there, and says
nothing that is not in that message. What the message denies is denied in the fact, and the reverse.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field

from earwitness import Character
from earwitness.patterns import lazy_pattern
from earwitness.records.character import Cast
from earwitness.sentences import sentences

from ..models.scene import UNSAID, LooseText, as_confidence, listed, one_line
from .exchanges import HeardExchange, HeardLine
from .negation import is_negated, is_plain_negation, without_answers

_ABOUT_TEXT = (
    "name age birthday home origin work school learning skill language family friend pet loves hates food music hobby "
    "plan health belief possession appearance past other"
)
ABOUT = tuple(_ABOUT_TEXT.split())
"""What a fact may be about."""
SINGLE = frozenset(("name", "age", "birthday", "home", "work"))
"""Of these, one holds at a time: another value is a new version."""
MOST = 12
"""So many facts of one answer are read."""
SHORTEST_STEM = 3
"""Characters that are left of a word without its ending."""
LONGEST = 200
"""Characters of a fact, a value or a quotation."""
_CONTRAST = lazy_pattern(r"\s*;\s*|,?\s+\b(?:but|aber|sondern|mais|pero|sino)\b\s+", re.IGNORECASE)
"""Where a sentence goes on with the opposite."""
_WORD = lazy_pattern(r"[^\W_]+(?:['’][^\W_]+)*")
_COMMON_TEXT = (
    "about after again also another are because been being both currently does doing each from have having says said "
    "since some that their them then there they this very were with really now nowadays tells told thing year years "
    "jetzt sich maintenant ahora a an the is in of at on to by as it he she his her has had was and or for who you my "
    "me we us our its im am der die das ein eine ist von und la le el un une en et y de du des il elle con"
)
COMMON = frozenset(_COMMON_TEXT.split())
"""Words that a fact may have although its message does not: none of them says anything by itself."""
_OF_ONESELF_TEXT = (
    "goes:go studies:study studied:study lernt:lerne lebt:lebe wohnt:wohne arbeitet:arbeite heißt:heiße kommt:komme "
    "liebt:liebe hasst:hasse nennt:nenne apprend:apprends vient:viens aprende:aprendo vive:vivo llama:llamo "
    "viene:vengo trabaja:trabajo"
)
_OF_ONESELF = dict(each.split(":") for each in _OF_ONESELF_TEXT.split())
"""What is said of somebody → the same as they say it of themselves, where the endings do not show it."""


SIGNS = frozenset(" .,;:!?¿¡'\"’‘“”„«»()-–—…/&%+")
"""Signs that a fact may have although its message does not."""


class NamedFact(BaseModel):
    """One fact, as a model names it."""

    about: LooseText = "other"
    """Whom or what it is about: one of `ABOUT`."""
    subject: str
    """Id, name or alias of the character it is about."""
    value: LooseText = ""
    """What is said, in a few words."""
    text: LooseText = ""
    """The fact as a sentence."""
    source: str
    """Label of the message, such as `m2`."""
    quote: LooseText = ""
    """The words of the message that say it."""
    confidence: Annotated[float, BeforeValidator(as_confidence), Field(ge=0, le=1)] = UNSAID
    """How sure it is."""
    relation: LooseText = "new"
    """To what is known: `new`, `same`, `changes`, `contradicts`."""
    earlier: LooseText = ""
    """Label of the known fact that it repeats, changes or contradicts, such as `f1`."""
    private: bool = False
    """Whether it is for those who heard it alone."""


class FactsProposal(BaseModel):
    """What a model answers."""

    facts: Annotated[list[NamedFact], BeforeValidator(listed)] = []
    """The facts."""


@dataclass(frozen=True, slots=True)
class DrawnFact:
    """A fact that is believed."""

    line: HeardLine
    """The message that says it."""
    subject: Character
    """Whom it is about."""
    about: str
    """What it is about."""
    value: str
    """What is said of it."""
    text: str
    """The fact as a sentence."""
    confidence: float
    """0 to 1."""
    replaces: bool
    """Whether only one such fact holds at a time."""
    relation: str = "new"
    """To what is known."""
    private: bool = False
    """Whether it stays with those who heard it, whatever the scope."""
    denied: bool = False
    """Whether it is said not to be so."""

    @property
    def id(self) -> str:
        """The same for the same fact in other letter case; another one if it is denied."""
        return f"{self.about}={'not ' * self.denied}{self.value.casefold()}"


@dataclass(slots=True)
class BelievedFacts:
    """Reads the facts that a model names of an exchange."""

    exchange: HeardExchange
    cast: Cast
    least: float
    """What is less sure is not a fact."""
    notes: list[str] = field(default_factory=list)
    """What was left out, and why."""

    def of(self, named: Sequence[NamedFact]) -> list[DrawnFact]:
        """Those that are believed, each once."""
        if len(named) > MOST:
            self.notes.append(f"named {len(named)} facts; the first {MOST} are read")
        found: dict[tuple[str, str, str], DrawnFact] = {}
        for each in named[:MOST]:
            fact = self._believed(each)
            if isinstance(fact, str):
                self.notes.append(f"left out {one_line(each.text)!r}: {fact}")
            else:
                found.setdefault((fact.subject.id, fact.id, fact.line.message.key), fact)
        return list(found.values())

    def _believed(self, named: NamedFact) -> DrawnFact | str:
        """The fact; or why it is not believed."""
        line, subject = self._line(named.source), self.cast.resolve(named.subject)
        if line is None:
            return f"there is no message {one_line(named.source)!r}"
        if subject is None or not self._concerns(subject, line):
            return f"{one_line(named.subject)!r} neither says it nor is named there"
        if named.confidence < self.least:
            return f"it is only {named.confidence:.2f} sure"
        if not _is_in(named.quote, line.text) or len(named.quote) > LONGEST:
            return "its quotation is not in the message"
        value = named.value.strip(" .,;:!\"'") or named.quote.strip()
        quoted = Quoted.of(named.quote, line.text)
        if strange := _strange(value, [line.text]) or (quoted.denied is False and _denies(value) and value):
            return f"the message does not say {strange!r}"
        if (text := self._sentence(named, quoted, subject, line)) is None:
            return "its quotation leaves out what the message denies"
        about = named.about.strip().casefold()
        about = about if about in ABOUT else "other"
        return DrawnFact(
            line,
            subject,
            about,
            (quoted.words if quoted.denied is None else value)[:LONGEST],
            text,
            named.confidence,
            about in SINGLE or named.relation.strip().casefold() in {"changes", "contradicts"},
            named.relation.strip().casefold(),
            named.private,
            quoted.denied is True and not _denies(value),
        )

    def _line(self, label: str) -> HeardLine | None:
        return {f"m{number}": line for number, line in enumerate(self.exchange.lines, 1)}.get(_label(label))

    def _concerns(self, subject: Character, line: HeardLine) -> bool:
        names = (subject.id, subject.name, *subject.aliases)
        return subject.id == line.message.speaker or any(_is_in(each, line.text) for each in names)

    def _sentence(self, named: NamedFact, quoted: Quoted, subject: Character, line: HeardLine) -> str | None:
        """The model's sentence, if it says only what the message says; else the words of the message. `None` where
        these would be too long."""
        said, speaker = " ".join(named.text.split()), self.cast.name_of(line.message.speaker)
        texts = (line.text, subject.name, speaker)
        if (
            0 < len(said) <= LONGEST
            and _denies(said) is quoted.denied
            and not (_strange(said, texts) or _odd(said, texts))
        ):
            return said
        self.notes.append(f"kept in the words of the message: {one_line(said)!r} says something else, or more")
        return f"{speaker}: “{quoted.words}”" if len(quoted.words) <= LONGEST else None


@dataclass(frozen=True, slots=True)
class Quoted:
    """What a quotation stands for in its message."""

    words: str
    """The words quoted, to the letter; more of the message where these leave out that it denies them."""
    denied: bool | None
    """Whether the message denies it; `None` = it says both."""

    @classmethod
    def of(cls, quote: str, text: str) -> Quoted:
        """Of a quotation that is in the text."""
        parts = [part for each in sentences(text) for part in _CONTRAST.split(each)]
        said = [each for each in parts if _is_in(quote, each)] or [text]
        found = {_denies(each) for each in said}
        denied = found.pop() if len(found) == 1 else None
        words = _words_there(quote, text)
        words = words if _denies(words) is denied else " ".join(dict.fromkeys(said))
        return cls(" ".join(words.split()), denied)


def _label(given: str) -> str:
    """A label as it is shown: models leave the letter out."""
    label = given.strip().casefold()
    return label if label.startswith("m") else f"m{label}"


def _words(text: str) -> list[str]:
    return [each[0].casefold().replace("’", "'") for each in _WORD.finditer(text)]


def _is_in(quote: str, text: str) -> bool:
    """Whether the words of one stand in the other, in their order and side by side."""
    wanted, there = _words(quote), _words(text)
    return bool(wanted) and f" {' '.join(wanted)} " in f" {' '.join(there)} "


def _words_there(quote: str, text: str) -> str:
    """The part of a text that a quotation means, to the letter: a model writes its own signs between the words."""
    wanted, there = _words(quote), [*_WORD.finditer(text)]
    folded, many = _words(text), len(wanted)
    begin = next(at for at in range(len(there)) if folded[at : at + many] == wanted)
    end = there[begin + many - 1].end()
    ended = text[end : end + 1]  # the sign that ends the sentence belongs to it
    return text[there[begin].start() : end] + (
        ended if ended and ended in ".!?" and quote.rstrip()[-1] == ended else ""
    )


def _denies(text: str) -> bool:
    return is_negated(_words(without_answers(text)))


def _odd(said: str, texts: Iterable[str]) -> str | None:
    """The first sign that is neither common in sentences nor in the texts; `None` = there is none."""
    there = {*SIGNS, *(sign for text in texts for sign in text)}
    return next((each for each in said if not each.isalnum() and each not in there), None)


def _strange(said: str, texts: Iterable[str]) -> str | None:
    """The first word that is neither common nor in the texts, in any form of it; `None` = there is none."""
    there = {part for text in texts for word in _words(text) for part in (word, *word.split("'"))}
    stems = {_stem(each) for each in there}
    for found in _WORD.finditer(said):
        word = found[0].casefold().replace("’", "'").removesuffix("'s")
        known = word in there or word in COMMON or _stem(word) in stems or _OF_ONESELF.get(word) in there
        if not (known or is_plain_negation(word)):
            return found[0]
    return None


def _stem(word: str) -> str:
    """A word without its ending: `learning`, `learns` and `learned` are one."""
    stem = re.sub(r"(?:ing|ed|es|s|e)$", "", word) if word.isascii() else word
    return stem if len(stem) >= SHORTEST_STEM else word
