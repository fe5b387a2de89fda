"""What a text does about a question: it says so, says the contrary, or does neither. Pure functions, for English.

A text is read clause by clause. What it asks, supposes, plans or commands it does not say; nor what it says of another
character than the one asked about. A clause that is denied says nothing but the contrary. A question without a verb
("the Sacred Sword") is a topic: whatever is said of it counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
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
    MOST_BEFORE_BY,
    NOBODY_NAMED,
    SAYING,
    SOMEBODY,
    Agent,
    agent,
    infinitive,
    is_between,
    is_command,
    is_unrealized,
    is_verb_form,
    named,
    object_words,
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
        return self._of_denial(kept) if self._statement.denies else self._of_claim(kept, said, said == text, about)

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
        if is_whole:
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
        if any(is_between(self._tokens, at, self.names) for at in range(len(self._tokens))):
            return True
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
    def _sure(self) -> frozenset[str]:
        """Its verbs, as far as that is sure."""
        return frozenset(
            base_of(each[at])
            for each in clauses(self._tokens)
            for at in self._asked_in(each)
            if (is_verb_form(each[at]) and _is_verb(each, at))
            or is_between(each, at, self.names)
            or at == infinitive(each, self.names)
        )

    @cached_property
    def _agents(self) -> Mapping[str, Agent | None]:
        """Each of its verbs → of whom it asks whether they did it; `None` = of nobody."""
        found = {
            base_of(each[at]): self._agent_of(each, at, None)
            for each in clauses(self._tokens)
            for at in self._asked_in(each)
            if self._is_asked_verb(each, at)
        }
        return {verb: None if each in (SOMEBODY, NOBODY_NAMED) else each for verb, each in found.items()}

    @cached_property
    def _agent(self) -> Agent | None:
        """The first of whom it asks whether they did something."""
        return next(filter(None, self._agents.values()), None)

    @cached_property
    def _objects(self) -> Mapping[str, frozenset[str]]:
        """Each of its verbs → the words of what it asks about having been done to."""
        return {
            base_of(each[at]): frozenset(map(base_of, object_words(each, at)))
            for each in clauses(self._tokens)
            for at in self._asked_in(each)
            if base_of(each[at]) in self._sure and self._is_asked_verb(each, at)
        }

    def _is_asked_verb(self, tokens: Sequence[str], at: int) -> bool:
        before = tokens[at - 1] if at else ""
        return _is_verb(tokens, at) or (base_of(tokens[at]) in self._sure and before not in _ARTICLES)

    def _agent_of(self, tokens: Sequence[str], at: int, speaker: Agent | None) -> Agent | None:
        return agent(tokens, at, self.names, speaker, is_sure=base_of(tokens[at]) in self._sure)

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

    def _speaker(self, name: str) -> Agent | None:
        words = _folded(name)
        known = {self.names[each] for each in words if each in self.names}
        return named(*known, *words) if len(known) < 2 else None

    def _sentence(self, sentence: str, speaker: Agent | None, denied: bool) -> str:
        given = TOKEN.findall(sentence)
        keeps_denied = denied or is_frame(sentence.casefold())
        kept: list[str] = []
        left = changed = False
        rest = frozenset(base_of(token.casefold()) for token in given)
        for each in clauses(given):
            tokens = [token.casefold() for token in each]
            if self._is_left_out(each, tokens, speaker, is_first=not left) or self._is_done_to_others(tokens, rest):
                changed = True
            elif not keeps_denied and is_negated(tokens):
                changed = True
                kept += _told_to(tokens)
            else:
                kept += each
            left = left or len(tokens) > 2  # a name that is called comes before a command
        return " ".join(kept) + " " if changed else sentence

    def _is_left_out(
        self, given: Sequence[str], tokens: Sequence[str], speaker: Agent | None, *, is_first: bool
    ) -> bool:
        for at in self._asked_in(tokens):
            is_name = given[at][0].isupper() and at > 0
            if base_of(tokens[at]) in self._loose or is_name:
                continue
            if is_unrealized(tokens, at, BASE) or (is_first and is_command(tokens, at)):
                return True
            if self._is_asked_verb(tokens, at) and self._is_others(
                self._agent_of(tokens, at, speaker), base_of(tokens[at])
            ):
                return True
        return False

    def _is_others(self, agent: Agent | None, verb: str) -> bool:
        """Whether somebody else did it than the one asked about, or nobody is named where that was asked."""
        if agent is None:
            return False
        asked = self._agents.get(verb, self._agent)
        if asked is None:
            return self._asks_who and agent == SOMEBODY
        return not asked.may_be(agent)

    def _is_done_to_others(self, tokens: Sequence[str], sentence: Set[str]) -> bool:
        """Whether the clause says of what was asked that it was done to something else."""
        for at in self._asked_in(tokens):
            asked = self._objects.get(base_of(tokens[at]))
            if asked and self._is_asked_verb(tokens, at):
                done_to = frozenset(map(base_of, object_words(tokens, at)))
                subject = frozenset(map(base_of, tokens[max(0, at - MOST_BEFORE_BY) : at]))
                if done_to and asked.isdisjoint(done_to | (sentence - subject)):
                    return True
        return False


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
