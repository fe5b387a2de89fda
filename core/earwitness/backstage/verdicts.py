"""What a text does about a question: it says so, says the contrary, or does neither. Pure functions, for English.

A text is read clause by clause. What it asks, supposes, hopes, plans or commands it does not say; nor what it says of
another character than the one asked about. A clause that is denied says nothing but the contrary. What is left says so
only if it has the question's verbs, whoever it asks about, and what was done to. A question without a verb ("the Sacred
Sword") is a topic: whatever is said of it counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from ..words import plain
from .assertions import assertions_in
from .claims import INSIDE, PLACES, Claim, folded, is_link, is_own, phrase_words
from .clauses import (
    AUXILIARIES,
    NOBODY_NAMED,
    SAYING,
    SOMEBODY,
    Agent,
    agent,
    is_command,
    is_unrealized,
    is_verb_form,
    named,
    object_words,
    pronoun,
    relative_agent,
    word_list,
)
from .irregular_verbs import BASE
from .moods import choices, hoped_from, is_not_done, is_unreal
from .needed_words import has_a_deed, is_of_another, is_worded_in
from .negation import MARKUP, SENTENCE, TOKEN, Statement, base_of, clauses, is_frame, is_negated, may_deny
from .paraphrase import in_full, paraphrased
from .plain_sentences import SPEAKER, stated_places

Verdict = Literal["says", "denies", "neither"]
"""What a text does about a question."""
ONE_THING = 8
"""Words of a question that is about one thing. A longer one may be answered in part by what a question implies."""
_ASKING = word_list("who whom whose what which where when how why whether")
_BACK = word_list("it him her them")
_UNTIL = word_list("until till")
"""Behind a denied clause: "she did not sign it until yesterday"."""
_NEAR = 24
"""Words behind a verb among which is what was done to."""
_FAR = 80
"""Words behind "is" or "has" among which somebody is named."""


@dataclass(frozen=True)
class AskedQuestion:
    """A question, as something that a text may say or deny."""

    question: str
    """The question."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Name in lower case → id of the character who alone has it."""
    needs_words: bool = True
    """Whether a text needs all words of a deed that is asked about; no, where it is asked who is behind a mask."""

    def verdict(self, text: str, about: Callable[[str], bool]) -> Verdict:
        """What the text does. `about` says whether what is left of a text is still about the question."""
        text = in_full(plain(text))
        if len(self._statement.words) > ONE_THING:
            return self.verdict_of_words(text, about)
        name = SPEAKER.match(text)
        begin, speaker = (name.end(), self._speaker(name[1])) if name else (0, None)
        if not self.claim.is_statement:
            asserted = assertions_in(text)
            found = self._of_topic(asserted, asserted is text or about(asserted))
            return self._if_worded(found, asserted[begin:], asserted[begin:], speaker)
        said = paraphrased(text[begin:].translate(MARKUP), self.names)
        placed = "".join(stated_places(text, self.names)) if self.claim.place else ""
        return self._of_statement(text[:begin] + said + placed, begin, speaker, about)

    def may_be_denied_by(self, text: str) -> bool:
        """Whether the verdict on a plain text may be that it denies it: false for a text without a hint of that."""
        if self._statement.denies:
            return True
        text = in_full(text)
        is_hinted = may_deny(text)  # plainer clauses have no hint that the text has not
        if not is_hinted or not self.claim.is_statement or len(self._statement.words) > ONE_THING:
            return is_hinted
        name = SPEAKER.match(text)
        begin = name.end() if name else 0
        return may_deny(text[:begin] + paraphrased(text[begin:].translate(MARKUP), self.names))

    def verdict_of_words(self, text: str, about: Callable[[str], bool]) -> Verdict:
        """What a text does that has enough of the question's words: it says so, or the contrary."""
        del about
        return "denies" if self._statement.contradicted_by(plain(text)) else "says"

    @cached_property
    def claim(self) -> Claim:
        """What it asks."""
        return Claim(in_full(self.question), self.names)

    @property
    def _statement(self) -> Statement:
        return self.claim.statement

    def _of_topic(self, asserted: str, is_about: bool) -> Verdict:
        if is_about and self.needs_words and is_of_another(self.claim, asserted):
            return "neither"
        if self._statement.contradicted_by(asserted):
            return "denies" if is_about else "neither"
        return "says" if is_about else "neither"

    def _of_statement(self, text: str, begin: int, speaker: Agent | None, about: Callable[[str], bool]) -> Verdict:
        asserted = assertions_in(text)
        kept, said = self._kept(asserted, begin, speaker)
        if not self._names_something(kept):
            return "neither"
        found = self._of_kept(text, kept, said, asserted, begin, speaker, about)
        return self._if_worded(found, (said if found == "says" else kept)[begin:], asserted[begin:], speaker)

    def _of_kept(
        self,
        text: str,
        kept: str,
        said: str,
        asserted: str,
        begin: int,
        speaker: Agent | None,
        about: Callable[[str], bool],
    ) -> Verdict:
        if self._statement.denies:
            return self._of_denial(kept)
        if self._statement.contradicted_by(kept):
            is_answer = not self.claim.is_open or "nobody" in kept.casefold()
            return "denies" if is_answer and self.claim.is_denied_of(asserted[begin:], speaker) else "neither"
        if not self.claim.is_said_by(said[begin:], asserted[begin:], speaker):
            return "neither"
        left = kept if self._refers_back(said) else said
        return "says" if said == text or (self._names_something(said) and about(left)) else "neither"

    def _if_worded(self, found: Verdict, said: str, asserted: str, speaker: Agent | None) -> Verdict:
        """The verdict, if the text has the words that the question needs."""
        if found == "neither" or not self.needs_words or not has_a_deed(self.claim):
            return found
        if found == "says" and self._statement.denies:
            said = asserted
        return found if is_worded_in(self.claim, said, asserted, speaker) else "neither"

    def _of_denial(self, kept: str) -> Verdict:
        if self._statement.denied_by(kept):
            return "says"
        return "denies" if self._statement.contradicted_by(kept) else "neither"

    def _refers_back(self, said: str) -> bool:
        """Whether it names the deed, and by a pronoun what was spoken of before: "I did not take it. Bob took it."."""
        tokens = folded(said)
        return not _BACK.isdisjoint(tokens) and not self.claim.verbs.isdisjoint(map(base_of, tokens))

    def _names_something(self, text: str) -> bool:
        """Whether what was said, without the name before it, has a word of the question."""
        said = SPEAKER.sub("", text)
        return not self._statement.words.isdisjoint(map(base_of, folded(said)))

    def _speaker(self, name: str) -> Agent | None:
        words = folded(name)
        known = {self.names[each] for each in words if each in self.names}
        return named(*known, *words) if len(known) < 2 else None

    def _kept(self, text: str, begin: int, speaker: Agent | None) -> tuple[str, str]:
        """The text without the clauses that do not say what was asked; and without those that are denied, too."""
        kept, said = [text[:begin]], [text[:begin]]
        for each in SENTENCE.findall(text[begin:]):
            all_kept, undenied = self._sentence(each, speaker)
            kept.append(all_kept)
            said.append(undenied)
        return "".join(kept), "".join(said)

    def _sentence(self, sentence: str, speaker: Agent | None) -> tuple[str, str]:
        given = TOKEN.findall(sentence)
        if self._statement.words.isdisjoint(base_of(token.casefold()) for token in given):
            return sentence, sentence
        reader = _SentenceReader(self.claim, speaker)
        keeps_denied = is_frame(sentence.casefold())
        kept: list[str] = []
        said: list[str] = []
        found = clauses(given)
        after = [*(each[0].casefold() for each in found[1:]), ""]
        for each, is_kept, link in zip(found, reader.kept(found), after, strict=True):
            if not is_kept:
                continue
            tokens = [token.casefold() for token in each]
            kept += each
            is_said = keeps_denied or link in _UNTIL or not is_negated(tokens)
            said += each if is_said else _after_saying(tokens)
        return _joined(kept, given, sentence), _joined(said, given, sentence)


@dataclass(frozen=True)
class _SentenceReader:
    """One sentence, read for what it says about a claim."""

    claim: Claim
    """What is asked."""
    speaker: Agent | None
    """Who said it; `None` if that is not clear."""

    def kept(self, given: Sequence[Sequence[str]]) -> list[bool]:
        """Whether each clause says something of what was asked, as far as can be told."""
        folded_clauses = [[token.casefold() for token in each] for each in given]
        chosen = [frozenset[int]()] * len(given) if "or" in self.claim.tokens else choices(folded_clauses)
        found: list[bool] = []
        is_first, is_hope, before = True, False, list[str]()
        for number, (clause, tokens, alternatives) in enumerate(zip(given, folded_clauses, chosen, strict=True), 1):
            hoped = 0 if is_unreal(tokens) else hoped_from(tokens, self.claim.statement.words, is_ongoing=is_hope)
            is_hope = hoped is not None
            asked = [at for at in self.claim.asked_in(tokens) if not self._is_name(clause, at)]
            is_unsaid = any(
                at in alternatives or (hoped is not None and at >= hoped) for at in self.claim.asked_in(tokens)
            )
            found.append(
                not is_unsaid
                and not any(self._is_left_out(tokens, at, before, is_first=is_first) for at in asked)
                and not self._is_linked_to_others(tokens, before)
                and not self._is_done_to_others(tokens, folded_clauses, number)
            )
            is_first = is_first and len(tokens) <= 2  # a name that is called comes before a command
            before = tokens if tokens[-1][0].isalnum() else before
        return found

    def _is_name(self, given: Sequence[str], at: int) -> bool:
        return base_of(given[at].casefold()) in self.claim.loose or (given[at][0].isupper() and at > 0)

    def _is_left_out(self, tokens: Sequence[str], at: int, before: Sequence[str], *, is_first: bool) -> bool:
        """Whether the verb at this place is not said to be done by whom it was asked of."""
        if is_unrealized(tokens, at, BASE) or (is_first and is_command(tokens, at)):
            return True
        if not self.claim.is_asked_verb(tokens, at):
            return False
        verb = base_of(tokens[at])
        if is_not_done(tokens, at):
            return True
        if (he := pronoun(tokens, at)) and (self.claim.asks_agent or (he == "they" and self.claim.agents.get(verb))):
            return True
        found = self.claim.agent_of(tokens, at, self.speaker)
        return self._is_others(relative_agent(tokens, at, before, self.claim.names) or found, verb)

    def _is_others(self, agent: Agent | None, verb: str) -> bool:
        """Whether somebody else did it than the one asked about, or nobody is named where that was asked."""
        if agent is None:
            return False
        asked = self.claim.agents.get(verb, self.claim.agent)
        if asked is None:
            return self.claim.asks_agent and agent in (SOMEBODY, NOBODY_NAMED)
        return self.claim.is_other(asked, agent)

    def _is_linked_to_others(self, tokens: Sequence[str], before: Sequence[str]) -> bool:
        """Whether the clause says of another what the question asks of one: "Bert is the murderer"."""
        link = self.claim.link
        if link is None:
            return False
        subject, complement = self.claim.linked
        for at, token in enumerate(tokens):
            if not is_link(token, link):
                continue
            found = relative_agent(tokens, at, before, self.claim.names) or agent(
                tokens, at, self.claim.names, self.speaker, is_sure=True
            )
            if found is None or (subject is None and not (self.claim.asks_who and found == SOMEBODY)):
                continue
            is_reversed = not complement.isdisjoint(map(base_of, found.words))
            if is_reversed and (tokens[0] in _ASKING or not self._is_named(subject, tokens[at + 1 : at + 1 + _FAR])):
                return True  # "told me who the murderer is", "the murderer is the niece of Bert"
            if subject is None or (not is_reversed and self.claim.is_other(subject, found)):
                return not complement.isdisjoint(phrase_words(tokens, at + 1))
            if _is_elsewhere(self.claim.place, tokens[at + 1 : at + 2]):
                return True
        return False

    def _is_named(self, subject: Agent | None, tokens: Sequence[str]) -> bool:
        """Whether the one asked about is named for themselves here, if at all."""
        here = [self.claim.names.get(each, each) for each in tokens]
        return subject is None or subject.heads.isdisjoint(here) or is_own(here, frozenset(map(base_of, subject.heads)))

    def _is_done_to_others(self, tokens: Sequence[str], all_clauses: Sequence[Sequence[str]], following: int) -> bool:
        """Whether the clause says of what was asked that it was done to something else.

        `following` is the number of the next clause of the sentence, which may go on with a list.
        """
        for at in self.claim.asked_in(tokens):
            asked = self.claim.objects.get(base_of(tokens[at]))
            if not asked or not self.claim.is_asked_verb(tokens, at) or not object_words(tokens, at):
                continue
            if asked.isdisjoint(_done_to(tokens[at : at + _NEAR])):
                return all(asked.isdisjoint(_done_to(each)) for each in _listed(all_clauses, following))
        return False


def _done_to(tokens: Sequence[str]) -> frozenset[str]:
    """Words in their base form, without those who only have something: "Bert's dog" is not Bert."""
    return frozenset(base_of(each) for each in tokens if not each.endswith("'s"))


def _listed(all_clauses: Sequence[Sequence[str]], following: int) -> Iterator[Sequence[str]]:
    """The clauses without a verb that follow: "stole a bracelet, a ring and two spoons"."""
    for number in range(following, len(all_clauses)):
        if any(is_link(each, "be") or is_verb_form(each) or each in AUXILIARIES for each in all_clauses[number]):
            return
        yield all_clauses[number]


def _is_elsewhere(asked: str, said: Sequence[str]) -> bool:
    """Whether what is `near` or `behind` something is said to be there, and was asked to be `in` it."""
    return bool(asked) and not PLACES.isdisjoint(said) and asked not in said and not {asked, *said} <= INSIDE


def _joined(tokens: Sequence[str], given: Sequence[str], sentence: str) -> str:
    """The sentence, if nothing was left out."""
    return sentence if len(tokens) == len(given) else " ".join(tokens) + " "


def _after_saying(tokens: Sequence[str]) -> Sequence[str]:
    """What comes behind a verb of saying in a clause that is denied: "no one must know the count is dead"."""
    at = next((at for at, each in enumerate(tokens) if BASE.get(each, each) in SAYING), len(tokens))
    return tokens[at + 1 :] if len(tokens) - at > 3 else ()
