"""What a question asks: whether somebody did something, was or had something, to whom. Pure functions, for English."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal

from ..patterns import lazy_pattern
from .clauses import (
    AUXILIARIES,
    BE,
    BE_SHORT,
    CLAUSE_BEGINS,
    HAVE,
    NOBODY_NAMED,
    SOMEBODY,
    Agent,
    agent,
    infinitive,
    is_between,
    is_command,
    is_content,
    is_unrealized,
    is_verb_form,
    object_words,
    word_list,
)
from .irregular_verbs import BASE, BASES
from .negation import MARKUP, TOKEN, Statement, base_of, clauses

_ASKING_WHO = lazy_pattern(r"(?i)^\W*(?:by )?who(?:m|se)?\b")
_ASKING = lazy_pattern(r"(?i)^\W*(?:who(?:m|se)?|what|which|where|when|why|how)\b")
ARTICLES = word_list("the a an my your his her its our their this that these those")
Link = Literal["be", "have"]
"""The verb of a question that has no other: "Bert is the murderer", "Anna has the ring"."""
LINKS: Final[Mapping[Link, frozenset[str]]] = {
    "be": BE,
    "have": HAVE | word_list("own owns owned possess possesses possessed keep keeps kept hold holds held got"),
}
"""The words that say what each of these says."""
INSIDE = word_list("in inside within at on")
"""Prepositions that say of one place much the same."""
PLACES = INSIDE | word_list("near outside behind above below beneath under beside between opposite before against")


@dataclass(frozen=True)
class Claim:
    """What a question asks, as something that a text may say."""

    question: str
    """The question."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Name in lower case → id of the character who alone has it."""

    @cached_property
    def statement(self) -> Statement:
        """The question, as something that may be denied."""
        return Statement(self.question)

    @cached_property
    def tokens(self) -> Sequence[str]:
        """Its words in lower case, and its signs."""
        return folded(self.question)

    @cached_property
    def asks_who(self) -> bool:
        """Whether it asks for a character."""
        return _ASKING_WHO.search(self.question) is not None

    @cached_property
    def asks_agent(self) -> bool:
        """Whether it asks who did or is something, and not to whom it was done: "who was killed?"."""
        rest = [each for each in self.tokens if each[0].isalnum()][1:]
        is_passive = bool(rest) and rest[0] in BE and any(map(is_verb_form, rest[1:3])) and "by" not in self.tokens
        return self.asks_who and not is_passive

    @cached_property
    def is_open(self) -> bool:
        """Whether it asks who, what, where or the like, and not whether something is so."""
        return _ASKING.search(self.question) is not None

    @cached_property
    def is_statement(self) -> bool:
        """Whether it has a verb, as far as can be told."""
        if self.is_open or any(is_link(each, "be") or each in AUXILIARIES for each in self.tokens):
            return True
        before = ["the", *self.tokens]
        if any(is_between(self.tokens, at, self.names) for at in range(len(self.tokens))):
            return True
        is_present = any(_is_present_tense(self.tokens, at) for at in range(len(self.tokens)))
        return is_present or any(
            is_verb_form(each) and before[at] not in ARTICLES for at, each in enumerate(self.tokens)
        )

    @cached_property
    def loose(self) -> frozenset[str]:
        """Words that the question itself only plans or commands: "agreed to find the sword"."""
        found = clauses(self.tokens)
        return frozenset(base_of(each[at]) for each in found for at in self.asked_in(each) if _is_loose(each, at))

    @cached_property
    def verbs(self) -> frozenset[str]:
        """Its verbs, as far as can be told."""
        found = clauses(self.tokens)
        return frozenset(base_of(each[at]) for each in found for at in self.asked_in(each) if _is_verb(each, at))

    @cached_property
    def sure(self) -> frozenset[str]:
        """Its verbs, as far as that is sure."""
        return frozenset(verb for each in clauses(self.tokens) for verb in self._sure_in(each))

    def _sure_in(self, clause: Sequence[str]) -> Iterator[str]:
        behind_do = infinitive(clause, self.names)
        for at in self.asked_in(clause):
            if (
                (is_verb_form(clause[at]) and _is_verb(clause, at))
                or _is_going_on(clause, at)
                or _is_present_tense(clause, at)
                or is_between(clause, at, self.names)
                or at == behind_do
            ):
                yield base_of(clause[at])

    @cached_property
    def agents(self) -> Mapping[str, Agent | None]:
        """Each of its verbs → of whom it asks whether they did it; `None` = of nobody."""
        found = {
            base_of(each[at]): self.agent_of(each, at, None)
            for each in clauses(self.tokens)
            for at in self.asked_in(each)
            if self.is_asked_verb(each, at)
        }
        return {verb: None if each in (SOMEBODY, NOBODY_NAMED) else each for verb, each in found.items()}

    @cached_property
    def agent(self) -> Agent | None:
        """The first of whom it asks whether they did something."""
        return next(filter(None, self.agents.values()), None)

    @cached_property
    def objects(self) -> Mapping[str, frozenset[str]]:
        """Each of its verbs → the words of what it asks about having been done to."""
        return {
            base_of(each[at]): frozenset(map(base_of, object_words(each, at)))
            for each in clauses(self.tokens)
            for at in self.asked_in(each)
            if base_of(each[at]) in self.sure and self.is_asked_verb(each, at)
        }

    @cached_property
    def link(self) -> Link | None:
        """The verb of a question without another; `None` if it has one, or asks where, when or the like."""
        if self.sure or (self.is_open and not self.asks_who):
            return None
        return self._link_found[1] if self._link_found else None

    @cached_property
    def _link_found(self) -> tuple[int, Link] | None:
        """Where the first such verb is, and which one; `'s` only if there is no other: "the king's dog is"."""
        found = [(at, link) for at, each in enumerate(self.tokens) for link in LINKS if is_link(each, link)]
        return next((each for each in found if self.tokens[each[0]] in LINKS[each[1]]), next(iter(found), None))

    @cached_property
    def linked(self) -> tuple[Agent | None, frozenset[str]]:
        """Of a question with a `link`: who is or has something, and the words of what they are or have."""
        at = self._link_found[0] if self._link_found else 0
        begin = next((place for place, each in enumerate(self.tokens) if each[0].isalnum()), 0)
        if at > begin:
            found = agent(self.tokens, at, self.names, None, is_sure=True)
            return (None if found == SOMEBODY else found), phrase_words(self.tokens, at + 1)
        return self._linked_behind(at + 1)

    @cached_property
    def place(self) -> str:
        """The preposition of a question for a place: `in` for "is the key in the tower?"; empty for any other."""
        return next((each for each in self.tokens if each in PLACES), "") if self.link == "be" else ""

    @cached_property
    def place_words(self) -> frozenset[str]:
        """The words of that place, in their base form."""
        return phrase_words(self.tokens, self.tokens.index(self.place)) if self.place else frozenset()

    def _linked_behind(self, at: int) -> tuple[Agent | None, frozenset[str]]:
        """As `linked`, of a question that begins with its verb: "Is Carl the murderer?"."""
        tokens = [each for each in self.tokens if each[0].isalnum()]
        while at < len(tokens) and tokens[at] in ARTICLES:
            at += 1
        end = at
        while (
            end < len(tokens)
            and is_content(tokens[end])
            and (tokens[end] in self.names or tokens[at] not in self.names)
        ):
            end += 1
        if end == len(tokens) and end > at + 1:
            end -= 1
        subject = tokens[at:end]
        if not subject or subject == ["there"]:
            return None, phrase_words(tokens, end)
        heads = {self.names.get(subject[-1], subject[-1])}
        return Agent(frozenset(heads), frozenset(subject) | heads), phrase_words(tokens, end)

    def is_asked_verb(self, tokens: Sequence[str], at: int) -> bool:
        """Whether the word at this place of a clause is used as a verb."""
        before = tokens[at - 1] if at else ""
        return _is_verb(tokens, at) or (base_of(tokens[at]) in self.sure and before not in ARTICLES)

    def agent_of(self, tokens: Sequence[str], at: int, speaker: Agent | None) -> Agent | None:
        """Who does what the verb at this place of a clause says."""
        return agent(tokens, at, self.names, speaker, is_sure=base_of(tokens[at]) in self.sure)

    def is_other(self, asked: Agent, found: Agent) -> bool:
        """Whether the one found is another than the one asked about: "the new mine", and not "the old mine"."""
        if not asked.may_be(found):
            return True
        is_named = not asked.heads.isdisjoint(self.names.values())
        return not is_named and not (found.words - asked.words - asked.heads).isdisjoint(self.tokens)

    def is_denied_of(self, text: str, speaker: Agent | None) -> bool:
        """Whether a denial in the text can mean the character asked about, if it is one of the cast."""
        cast = frozenset(self.names.values())
        asked = [each for each in (*self.agents.values(), self.link and self.linked[0]) if each and each.heads <= cast]
        here = self.present(text, speaker)
        return not asked or not NOBODY_WORDS.isdisjoint(here) or any(_is_present(each, here) for each in asked)

    def asked_in(self, tokens: Sequence[str]) -> Iterator[int]:
        """The places of the question's words in a clause."""
        return (at for at, token in enumerate(tokens) if base_of(token) in self.statement.words)

    def is_said_by(self, said: str, asserted: str, speaker: Agent | None) -> bool:
        """Whether what was `said` has all verbs of the question, and what was `told` whom and what it asks about.

        `speaker` is whoever said it.
        """
        here = self.present(said, speaker)
        everything = self.present(asserted, speaker)
        if self.link is not None:
            subject, complement = self.linked
            has_link = any(is_link(each, self.link) for each in folded(said))
            is_there = complement <= everything and (not complement or not complement.isdisjoint(here))
            tokens = folded(said)
            is_at = _is_placed(tokens, self.place_words) if self.place else is_own(tokens, complement)
            return has_link and is_there and is_at and _is_present(subject, everything)
        required = self.verbs & self.sure if not self.is_open or self.asks_who else frozenset()
        return required <= here and all(
            _is_present(self.agents.get(verb), everything)
            and (not self.objects.get(verb) or not self.objects[verb].isdisjoint(everything))
            for verb in required
        )

    def present(self, text: str, speaker: Agent | None) -> frozenset[str]:
        """The words of a text, also in their base form, with the ids of those it names, and the speaker if they do."""
        tokens = folded(text)
        words = {each.removesuffix("'s") for each in tokens}
        words |= {self.names[each] for each in words if each in self.names} | set(map(base_of, tokens))
        if speaker is not None and ("*" in text or not _OF_SPEAKER.isdisjoint(tokens)):
            words |= speaker.words
        return frozenset(words)


_PRESENT = word_list(
    "begins starts ends belongs sails arrives comes goes lives sleeps burns sits lies hangs waits stays dies becomes"
    " happens returns escapes knows loves hates keeps costs contains"
)
"""Forms of verbs that are not nouns."""
_SUBJECTS = word_list("he she it who")
NOBODY_WORDS = word_list("nobody none neither no")
_OF_SPEAKER = word_list("i i'm i've i'd i'll me my mine myself we we've our us")


def folded(text: str) -> list[str]:
    """The words of a text in lower case, and its signs, without those of emphasis."""
    return TOKEN.findall(text.casefold().translate(MARKUP))


def is_link(token: str, link: Link) -> bool:
    """Whether a word is a form of `be`, or says that somebody has something."""
    return token in LINKS[link] or (link == "be" and token.endswith(BE_SHORT))


def phrase_words(tokens: Sequence[str], at: int) -> frozenset[str]:
    """The words, in their base form, of the phrase that begins at this place or behind a preposition there."""
    while at < len(tokens) and not is_content(tokens[at]):
        at += 1
    end = at
    while end < len(tokens) and is_content(tokens[end]):
        end += 1
    return frozenset(map(base_of, tokens[at:end]))


def _is_present(agent: Agent | None, words: frozenset[str]) -> bool:
    return agent is None or not agent.heads.isdisjoint(words)


def _is_placed(tokens: Sequence[str], place: frozenset[str]) -> bool:
    """Whether something is said to be at a place: "in the vase", and not "the vase is empty"."""
    leads = (lead for lead, each in zip(_leads(tokens), tokens, strict=True) if base_of(each) in place)
    return any(each[:1].isalpha() and each not in CLAUSE_BEGINS for each in leads)


def is_own(tokens: Sequence[str], complement: frozenset[str]) -> bool:
    """Whether what somebody is or has is named for itself: "the heir", and not "the niece of the heir"."""
    leads = (lead for lead, each in zip(_leads(tokens), tokens, strict=True) if _names_itself(each, complement))
    return not complement or any(each != "of" for each in leads)


def _names_itself(token: str, complement: frozenset[str]) -> bool:
    return base_of(token) in complement and not token.endswith("'s")


def _leads(tokens: Sequence[str]) -> Iterator[str]:
    """For each word, the word before the phrase that it belongs to."""
    lead = ""
    for before in ["", *tokens][:-1]:
        if before and before not in ARTICLES and not is_content(before):
            lead = before
        yield lead


def _is_loose(tokens: Sequence[str], at: int) -> bool:
    return is_unrealized(tokens, at, BASE) or is_command(tokens, at)


def _is_going_on(tokens: Sequence[str], at: int) -> bool:
    """Whether it is a verb such as `hiding` in "is hiding"."""
    return tokens[at].endswith("ing") and at > 0 and tokens[at - 1] in BE


def _is_present_tense(tokens: Sequence[str], at: int) -> bool:
    """Whether it is a verb such as `begins` in "the attack begins at dawn"."""
    return tokens[at] in _PRESENT and at > 0 and (is_content(tokens[at - 1]) or tokens[at - 1] in _SUBJECTS)


def _is_verb(tokens: Sequence[str], at: int) -> bool:
    """Whether the word at this place is a verb, as far as can be told."""
    before = tokens[at - 1] if at else ""
    return before not in ARTICLES and (
        is_verb_form(tokens[at]) or tokens[at] in BASES or before in HAVE | BE | {"did", "does"} or before == "i"
    )
