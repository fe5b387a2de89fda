"""What a text does about a question: it says so, says the contrary, or does neither. Pure functions, for English.

A text is read clause by clause. What it asks, supposes, plans or commands it does not say; nor what it says of another
character than the one asked about. A clause that is denied says nothing but the contrary. A question without a verb
("the Sacred Sword") is a topic: whatever is said of it counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from ..words import plain
from .assertions import told_in
from .clauses import (
    AUXILIARIES,
    BE,
    BE_SHORT,
    HAVE,
    NOBODY_NAMED,
    SAYING,
    SOMEBODY,
    agent,
    is_command,
    is_unrealized,
    is_verb_form,
    word_list,
)
from .irregular_verbs import BASE
from .negation import MARKUP, SENTENCE, TOKEN, Statement, base_of, clauses, is_frame, is_negated

Verdict = Literal["says", "denies", "neither"]
"""What a text does about a question."""
ONE_THING = 8
"""Words of a question that is about one thing. A longer one may be answered in part by what a question implies."""
_ASKING_WHO = re.compile(r"(?i)^\W*(?:by )?who(?:m|se)?\b")
_ASKING = re.compile(r"(?i)^\W*(?:who(?:m|se)?|what|which|where|when|why|how)\b")
_SPEAKER = re.compile(r"^([^:\n]{1,80}):\s")
_BACK = word_list("it him her them")
_ARTICLES = word_list("the a an my your his her its our their this that these those")


@dataclass(frozen=True)
class AskedQuestion:
    """A question, as something that a text may say or deny."""

    question: str
    """The question."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Name in lower case → id of the character who alone has it."""

    def verdict(self, text: str, about: Callable[[str], bool]) -> Verdict:
        """What the text does. `about` says whether what is left of a text is still about the question."""
        text = plain(text)
        if len(self._statement.words) > ONE_THING:
            return "denies" if self._statement.contradicted_by(text) else "says"
        told = told_in(text)
        if not self._is_statement:
            return self._of_topic(told, told is text or about(told))
        kept, said = self._kept(told), self._kept(told, denied=False)
        if not self._names_something(kept):
            return "neither"
        return self._of_denial(kept) if self._statement.denies else self._of_claim(kept, said, told is text, about)

    def _of_topic(self, told: str, is_about: bool) -> Verdict:
        if self._statement.contradicted_by(told):
            return "denies" if is_about else "neither"
        return "says" if is_about else "neither"

    def _of_denial(self, kept: str) -> Verdict:
        if self._statement.denied_by(kept):
            return "says"
        return "denies" if self._statement.contradicted_by(kept) else "neither"

    def _of_claim(self, kept: str, said: str, is_whole: bool, about: Callable[[str], bool]) -> Verdict:
        if self._statement.contradicted_by(kept):
            open_question = self._asks_who or _ASKING.search(self.question)
            return "neither" if open_question and "nobody" not in kept.casefold() else "denies"
        if is_whole and said == kept:
            return "says"
        told = kept if self._refers_back(said) else said
        return "says" if self._names_something(said) and about(told) else "neither"

    def _refers_back(self, said: str) -> bool:
        """Whether it names the deed, and by a pronoun what was spoken of before: "I did not take it. Bob took it."."""
        tokens = _folded(said)
        return not _BACK.isdisjoint(tokens) and not self._verbs.isdisjoint(map(base_of, tokens))

    def _names_something(self, text: str) -> bool:
        """Whether what was said, without the name before it, has a word of the question."""
        said = _SPEAKER.sub("", text)
        return not self._statement.words.isdisjoint(map(base_of, _folded(said)))

    @cached_property
    def _statement(self) -> Statement:
        return Statement(self.question)

    @cached_property
    def _tokens(self) -> Sequence[str]:
        return _folded(self.question)

    @cached_property
    def _asks_who(self) -> bool:
        return _ASKING_WHO.search(self.question) is not None

    @cached_property
    def _is_statement(self) -> bool:
        """Whether it has a verb, as far as can be told."""
        if _ASKING.search(self.question) or any(
            each in BE | AUXILIARIES or each.endswith(BE_SHORT) for each in self._tokens
        ):
            return True
        before = ["the", *self._tokens]
        return any(is_verb_form(each) and before[at] not in _ARTICLES for at, each in enumerate(self._tokens))

    @cached_property
    def _loose(self) -> frozenset[str]:
        """Words that the question itself only plans or commands: "agreed to find the sword"."""
        found = clauses(self._tokens)
        return frozenset(base_of(each[at]) for each in found for at in self._asked_in(each) if _is_loose(each, at))

    @cached_property
    def _verbs(self) -> frozenset[str]:
        """Its verbs, as far as can be told."""
        found = clauses(self._tokens)
        return frozenset(base_of(each[at]) for each in found for at in self._asked_in(each) if _is_verb(each, at))

    @cached_property
    def _agents(self) -> Mapping[str, str | None]:
        """Each of its verbs → the character of whom it asks whether they did it."""
        return {
            base_of(each[at]): agent(each, at, self.names, None)
            for each in clauses(self._tokens)
            for at in self._asked_in(each)
            if _is_verb(each, at)
        }

    @cached_property
    def _agent(self) -> str | None:
        """The first character of whom it asks whether they did something."""
        return next((id for id in self._agents.values() if id and id != SOMEBODY), None)

    def _asked_in(self, tokens: Sequence[str]) -> Iterator[int]:
        return (at for at, token in enumerate(tokens) if base_of(token) in self._statement.words)

    def _kept(self, text: str, *, denied: bool = True) -> str:
        """The text without the clauses that do not say what was asked; without those that are `denied` on request."""
        name = _SPEAKER.match(text)
        speaker = self._speaker(name[1]) if name else None
        begin = name.end() if name else 0
        return text[:begin] + "".join(
            self._sentence(each, speaker, denied) for each in SENTENCE.findall(text[begin:].translate(MARKUP))
        )

    def _speaker(self, name: str) -> str | None:
        known = {self.names[each] for each in _folded(name) if each in self.names}
        return known.pop() if len(known) == 1 else None

    def _sentence(self, sentence: str, speaker: str | None, denied: bool) -> str:
        given = TOKEN.findall(sentence)
        keeps_denied = denied or is_frame(sentence.casefold())
        kept: list[str] = []
        left = changed = False
        for each in clauses(given):
            tokens = [token.casefold() for token in each]
            if self._is_left_out(each, tokens, speaker, is_first=not left):
                changed = True
            elif not keeps_denied and is_negated(tokens):
                changed = True
                kept += _told_to(tokens)
            else:
                kept += each
            left = left or len(tokens) > 2  # a name that is called comes before a command
        return " ".join(kept) + " " if changed else sentence

    def _is_left_out(self, given: Sequence[str], tokens: Sequence[str], speaker: str | None, *, is_first: bool) -> bool:
        for at in self._asked_in(tokens):
            is_name = given[at][0].isupper() and at > 0
            if base_of(tokens[at]) in self._loose or is_name:
                continue
            if is_unrealized(tokens, at, BASE) or (is_first and is_command(tokens, at)):
                return True
            if _is_verb(tokens, at) and self._is_others(agent(tokens, at, self.names, speaker), base_of(tokens[at])):
                return True
        return False

    def _is_others(self, agent: str | None, verb: str) -> bool:
        """Whether somebody else did it than the one asked about, or nobody is named where that was asked."""
        if agent is None or self._agents.get(verb, self._agent) == agent:
            return False
        if agent in {SOMEBODY, NOBODY_NAMED}:
            return self._agent is not None or (self._asks_who and agent == SOMEBODY)
        return self._agent is not None and agent != self._agent


def _told_to(tokens: Sequence[str]) -> Sequence[str]:
    """What comes behind a verb of saying in a clause that is denied: "no one must know the count is dead"."""
    at = next((at for at, each in enumerate(tokens) if BASE.get(each, each) in SAYING), len(tokens))
    return tokens[at + 1 :] if len(tokens) - at > 3 else ()


def _is_loose(tokens: Sequence[str], at: int) -> bool:
    return is_unrealized(tokens, at, BASE) or is_command(tokens, at)


def _is_verb(tokens: Sequence[str], at: int) -> bool:
    """Whether the word at this place is a verb, as far as can be told."""
    before = tokens[at - 1] if at else ""
    return before not in _ARTICLES and (
        is_verb_form(tokens[at])
        or tokens[at] in BASE.values()
        or before in HAVE | BE | {"did", "does"}
        or before == "i"
    )


def _folded(text: str) -> list[str]:
    return TOKEN.findall(text.casefold().translate(MARKUP))
