"""The facts that a model names, and which of them are believed. Pure.

A fact is believed if it quotes a message it was shown, is about somebody who says it or is named there, and says
nothing that is not in that message.
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

from ..models.scene import UNSAID, LooseText, as_confidence, listed, one_line
from .exchanges import HeardExchange, HeardLine

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
_WORD = lazy_pattern(r"[^\W_]+(?:['’][^\W_]+)*")
_COMMON_TEXT = (
    "about after again also always and another are because been being born both called calls comes currently "
    "does doing ever every feels from goes going grew have having hates holds keeps kind known knows learning "
    "learns likes lives living loved loves made makes married named never named nowadays now often once only "
    "originally owns plans plays prefers really since some speaks still studied studies studying than that "
    "their them then there they thing this used very wants wanted were with without works working worked year "
    "years says said tells told lernt lebt wohnt arbeitet heißt kommt liebt hasst nennt sich jetzt habite "
    "apprend aime vient appelle maintenant vive aprende llama viene trabaja ahora gusta a an the is in of at "
    "on to by as it he she his her has had was are am and or for who you my me we us our its im am der die das "
    "ein eine ist von und la le el un une en et y de du des il elle con"
)
COMMON = frozenset(_COMMON_TEXT.split())
"""Words that a fact may have although its message does not."""


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

    @property
    def id(self) -> str:
        """The same for the same fact in other letter case."""
        return f"{self.about}={self.value.casefold()}"


@dataclass(slots=True)
class BelievedFacts:
    """Reads the facts that a model names of an exchange."""

    exchange: HeardExchange
    cast: Cast
    least: float
    """What is less sure is no fact."""
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
        if strange := _strange(value, [line.text]):
            return f"the message does not say {strange!r}"
        about = named.about.strip().casefold()
        about = about if about in ABOUT else "other"
        return DrawnFact(
            line,
            subject,
            about,
            value[:LONGEST],
            self._sentence(named, subject, line),
            named.confidence,
            about in SINGLE or named.relation.strip().casefold() in {"changes", "contradicts"},
            named.relation.strip().casefold(),
            named.private,
        )

    def _line(self, label: str) -> HeardLine | None:
        return {f"m{number}": line for number, line in enumerate(self.exchange.lines, 1)}.get(_label(label))

    def _concerns(self, subject: Character, line: HeardLine) -> bool:
        names = (subject.id, subject.name, *subject.aliases)
        return subject.id == line.message.speaker or any(_is_in(each, line.text) for each in names)

    def _sentence(self, named: NamedFact, subject: Character, line: HeardLine) -> str:
        """The model's sentence, if it says only what the message says; else the words of the message."""
        said = " ".join(named.text.split())
        texts = (line.text, subject.name, self.cast.name_of(line.message.speaker))
        if said and len(said) <= LONGEST and not _strange(said, texts) and not _odd(said, texts):
            return said
        self.notes.append(f"kept in the words of the message: {one_line(said)!r} says something else, or more")
        return f"{self.cast.name_of(line.message.speaker)}: “{' '.join(_words_there(named.quote, line.text).split())}”"


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
        if not (word in there or word in COMMON or _stem(word) in stems):
            return found[0]
    return None


def _stem(word: str) -> str:
    """A word without its ending: `learning`, `learns` and `learned` are one."""
    stem = re.sub(r"(?:ing|ed|es|s|e)$", "", word) if word.isascii() else word
    return stem if len(stem) >= SHORTEST_STEM else word
