"""Whether a text says the contrary of what a question says: "the count did not die of fever". Pure functions.

Only an explicit negation in English counts, and only where it denies a word of the question. What it denies is the
next word that carries meaning, its head: `die` in "did not die of fever". So "I did not see the sword" denies nothing
about "the sword", and "do not tell Bob that the count died" nothing about the count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from ..patterns import lazy_pattern
from ..words import STOP_WORDS, plain, terms
from .clauses import AUXILIARIES, BE, BE_SHORT, CLAUSE_BEGINS, HAVE, NEGATIVE_VERBS, word_list
from .irregular_verbs import BASE, BASES
from .rarity import LEAST

_HINT = lazy_pattern(
    r"(?i)(?<![a-z])(?:not|never|nobody|none|nothing|neither|nor|no|without|cannot|false|untrue|wrong|lies?|lying|mistaken|nonsense|rumou?r|invention|made"
    r"|den(?:y|ies|ied)|lied|fail\w*|forg[eo]t\w*|refus\w*|neglect\w*|declin\w*|pretend\w*)(?![a-z])|n['’]t(?![a-z])"
)
"""Text without any of these denies nothing."""
TOKEN = lazy_pattern(r"\w+(?:'\w+)*|[^\w\s]")
SENTENCE = lazy_pattern(r"[^.!?\n]+[.!?\n]*")
_EMPHASIS = str.maketrans("", "", "*_")
MARKUP = str.maketrans({"*": " ", "_": " ", "~": " ", "’": "'"})


_NOBODY = word_list("nobody none nothing neither nor")
_CONDITIONS = word_list("if unless whether")
_BESIDES = word_list("longer one even yet quite still will may manage dare happen")
"""Words between a negation and its head: "no longer lives", "did not manage to kill"."""
_NEGATIONS = _NOBODY | word_list("not never no without cannot")
_NO_PARTICIPLES = word_list("king ring thing sacred wicked naked red")
_NO_DENIAL = lazy_pattern(
    r"\bnot (?:only|just|merely|simply|to mention)\b|\bno (?:doubt|wonder|sooner)\b|\bnothing but\b|\b(?:why|if) not\b"
)
_UNTRUE_THAT = lazy_pattern(
    r"\b(?:is|was|'s)?(?: not|n't)? ?(?:be )?(?:really |simply )?(?:false|untrue|wrong|a lie|true|the case)"
    r"(?: to (?:say|claim))?,? that\b"
    r"|\b(?:(?:do|does|did) not|(?:do|does|did)n't|never|cannot|can't) (?:think|believe|suppose|believes)(?: that)?\b"
    r"|\b(?:nobody|no one) (?:thinks|believes|believed|thought)(?: that)?\b"
    r"|\b(?:den(?:y|ies|ied)|pretend(?:s|ed)?) that\b|\blied\b[^.!?]{0,60}\bthat\b"
)
_AFFIRMING = lazy_pattern(
    r"^(?:(?!\bnot\b|n't).)*\b(?:true|the case)(?: to (?:say|claim))?,? that$"
    r"|(?:\bnot |n't ).*(?:false|untrue|wrong|a lie)(?: to (?:say|claim))?,? that$"
)
"""Of what `_UNTRUE_THAT` matches: "is true that", "is not a lie that"."""
_LIES = r"(?:all |nothing but )?(?:an? )?(?:\w+ )?(?:lies?|rumou?r|invention)"
_DO_NOT = r"(?:(?:do|did) not|(?:do|did|ca)n['’]t|cannot|never)"
AFTERTHOUGHT = (
    r"(?:(?:which|that|it|this)(?: is| was|['’]s)(?: (?:not|simply|just))?(?:n['’]t)? ?"
    rf"(?:true|so|the case|false|untrue|wrong|nonsense|{_LIES})"
    r"|[\w'’]+ (?:lied|(?:is|was|are|were) (?:lying|wrong|mistaken)|made (?:it|that|this) (?:all )?up)"
    rf"|(?:(?:i|we) {_DO_NOT}|nobody) believed? (?:him|her|it|that|this|them|a word))"
)
"""A denial of the clause before: "that is a lie", "which is false", "he lied", "I do not believe it"."""
_UNTRUE = lazy_pattern(rf"^\W*(?:but |and |no, )*{AFTERTHOUGHT}\W*$")
_TRUE = lazy_pattern(
    r"\b(?:is|was|'s) (?:true|so|the case)\W*$|not (?:a lie|false|untrue|wrong)|n't (?:a lie|false|untrue|wrong)"
)
"""Of what `_UNTRUE` matches: "it is true"."""
_QUOTES_THE_ONE_BEFORE = lazy_pattern(r"^\W*(?:(?:that|this|it)(?: is| was|'s) what|so says|so said)\b")
_NEGATIVE_VERBS = frozenset(next(iter(terms(each)), each) for each in NEGATIVE_VERBS)
_PRONOUNS = word_list("i you he she it we they")
_LONG = 40
"""Tokens behind a negation in which its head is looked for."""
_SHORT = 7
"""Tokens of the longest sentence that denies the one before it: "No, but she did not."."""


@dataclass(frozen=True, slots=True)
class _Denial:
    """A negation, and the word that it denies."""

    word: str
    """The word in its base form."""
    how: str
    """`verb` (did not die), `be` (was not king), `noun` (no king) or `part` (of poison, not of fever)."""


@dataclass(frozen=True)
class Statement:
    """A question, as something that a text may affirm or deny."""

    question: str
    """The question."""

    def contradicted_by(self, text: str) -> bool:
        """Whether the text denies what the question affirms, or affirms what it denies."""
        if not self.words:
            return False
        if not self.denies:
            return _HINT.search(text) is not None and self.denied_by(plain(text))
        return self.words <= {base_of(each) for each in _tokens(plain(text))} and not self.denied_by(plain(text))

    @cached_property
    def words(self) -> frozenset[str]:
        """The words that carry meaning, in their base form."""
        return frozenset(base_of(each) for each in self._tokens if _is_meaningful(each))

    @cached_property
    def _tokens(self) -> Sequence[str]:
        return _tokens(self.question)

    @cached_property
    def _states(self) -> bool:
        """Whether it has a form of `be` or `have`: "he is king" can be denied by "he is no king", "the king" cannot."""
        return any(each in BE | HAVE or each.endswith(BE_SHORT) for each in self._tokens)

    @cached_property
    def denies(self) -> bool:
        """Whether the question itself denies something."""
        return _HINT.search(self.question) is not None and self.denied_by(self.question.replace("?", ""))

    def denied_by(self, text: str) -> bool:
        """Whether the text denies it in the end: a later sentence may say the same without a negation."""
        denied: frozenset[str] = frozenset()
        before: frozenset[str] = frozenset()
        for sentence in SENTENCE.findall(text.casefold().translate(MARKUP)):
            tokens = TOKEN.findall(sentence)
            there = self._found_in(tokens)
            if not there and _QUOTES_THE_ONE_BEFORE.search(sentence):
                continue
            if _denies_the_one_before(sentence, tokens):
                denied, before = frozenset() if denied else before, frozenset()
                continue
            about = len(there | before) >= LEAST * len(self.words)  # a long question is not denied in passing
            before = there
            if about and not sentence.rstrip().endswith("?"):
                denied = self._denied_after(denied, sentence, tokens, there)
        return bool(denied)

    def _denied_after(
        self, denied: frozenset[str], sentence: str, tokens: Sequence[str], there: frozenset[str]
    ) -> frozenset[str]:
        """The words that are denied after one more sentence, which holds the words `there`."""
        heads = frozenset(each.word for each in _denials(sentence, tokens) if self._is_denied(each, there))
        frame = _UNTRUE_THAT.search(sentence)
        framed = self._found_in(TOKEN.findall(sentence[frame.end() :])) if frame and _is_untrue(frame[0]) else None
        if heads or framed:
            return (heads or framed or there) if bool(heads) != bool(framed) else frozenset()
        return frozenset() if denied <= there else denied

    def _is_denied(self, denial: _Denial, there: frozenset[str]) -> bool:
        if denial.word not in self.words:
            return False
        match denial.how:
            case "verb":
                return True
            case "part":
                return len(there) > 1
            case _:
                return self._states

    def _found_in(self, tokens: Sequence[str]) -> frozenset[str]:
        return frozenset(word for each in tokens if _is_meaningful(each) and (word := base_of(each)) in self.words)


def may_deny(text: str) -> bool:
    """Whether a text may deny anything: false if nothing in it hints at that, with or without its markup."""
    return any(_HINT.search(each) for each in {text, text.translate(_EMPHASIS)})


def _denials(sentence: str, tokens: Sequence[str]) -> Iterator[_Denial]:
    """The negations of a sentence, in order. A condition ("if he did not die") denies nothing."""
    if _NO_DENIAL.search(sentence):
        return
    condition = False
    for place, token in enumerate(tokens):
        if token in CLAUSE_BEGINS or not token[0].isalnum():
            condition = token in _CONDITIONS
        elif not condition and (head := _unfulfilled(tokens, place)):
            yield _Denial(base_of(head), "verb")
        elif not condition and (how := _how(tokens, place)) and (head := _head(tokens, place + 1)):
            participle = how == "be" and tokens[place + 1] == head and head.endswith(("ing", "ed"))
            yield _Denial(base_of(head), "verb" if participle and head not in _NO_PARTICIPLES else how)


def _how(tokens: Sequence[str], place: int) -> str | None:
    """How the word at this place denies; `None` if it does not."""
    word, before = tokens[place], tokens[place - 1] if place else ""
    if word in BE and word.endswith("n't"):
        return "be"
    if word.endswith("n't") or word in _NOBODY or word == "cannot":
        return "verb"
    is_be = before in BE or before.endswith(BE_SHORT)
    match word:
        case "no" if place + 1 == len(tokens) or tokens[place + 1] not in {"one", "longer"}:
            return "noun"
        case "no" | "never":
            return "be" if is_be else "verb"
        case "not":
            return "be" if is_be else "verb" if before in AUXILIARIES else "part"
        case "without":
            return "part"
        case _:
            return None


def _unfulfilled(tokens: Sequence[str], place: int) -> str | None:
    """The verb that was not done: `lock` in "forgot to lock it"; `None` behind any other word."""
    if base_of(tokens[place]) not in _NEGATIVE_VERBS or tokens[place + 1 : place + 2] != ["to"]:
        return None
    return None if any(_how(tokens, at) for at in range(max(0, place - 2), place)) else _head(tokens, place + 2)


def is_negated(tokens: Sequence[str]) -> bool:
    """Whether a clause denies its verb: "I did not take it", "he is not here". "No king" and "not of fever" do not."""
    text = " ".join(tokens)
    if _NO_DENIAL.search(text):
        return False
    negated = (_how(tokens, at) in {"verb", "be"} and _head(tokens, at + 1) for at in range(len(tokens)))
    return any(negated) or any(_unfulfilled(tokens, at) for at in range(len(tokens)))


def is_frame(sentence: str) -> bool:
    """Whether a sentence says of what it tells that it is true or untrue: "it is not true that …"."""
    return _UNTRUE_THAT.search(sentence) is not None


def clauses(tokens: Sequence[str]) -> list[list[str]]:
    """The clauses of a sentence, each with the word or sign before it."""
    found: list[list[str]] = [[]]
    for token in tokens:
        if token.casefold() in CLAUSE_BEGINS or not token[0].isalnum():
            found.append([])
        found[-1].append(token)
    return [each for each in found if each]


def _head(tokens: Sequence[str], begin: int) -> str | None:
    """The next word of the clause that carries meaning; `None` if there is none, or it is denied "until" later."""
    head = None
    for token in tokens[begin : begin + _LONG]:
        if token in {"until", "till"}:
            return None
        if token in CLAUSE_BEGINS or not token[0].isalnum():
            break
        if head is None and _is_meaningful(token) and token not in _BESIDES and not token.endswith("ly"):
            head = token
    return head


def _is_untrue(frame: str) -> bool:
    return _AFFIRMING.search(frame) is None


def _denies_the_one_before(sentence: str, tokens: Sequence[str]) -> bool:
    """Whether it is a sentence such as "He did not." or "That is a lie."."""
    words = [each for each in tokens if each[0].isalnum()]
    if not words or len(words) > _SHORT:
        return False
    elided = words[-1] == "not" or words[-1].endswith("n't")
    return (_UNTRUE.search(sentence) is not None and _TRUE.search(sentence) is None) or (
        elided and not _PRONOUNS.isdisjoint(words)
    )


def _is_meaningful(token: str) -> bool:
    plainly = token[0].isalnum() and "'" not in token.removesuffix("'s")
    return plainly and token not in STOP_WORDS and token not in _NEGATIONS


def _tokens(text: str) -> Sequence[str]:
    return TOKEN.findall(text.casefold().translate(MARKUP))


@lru_cache(maxsize=8_192)
def base_of(token: str) -> str:
    """The word in its base form, as it is compared."""
    word = token.removesuffix("'s")
    base = word[:-1] if word.endswith("s") and word[:-1] in BASES else BASE.get(word, word)
    return next(iter(terms(base)), word)
