"""Which part of a clause is not said to be so: it is hoped, feared, tried, nearly done or one of two choices. Pure.

For English. The words are predicates whose complement need not hold (Kiparsky and Kiparsky, "Fact", 1970; Karttunen,
"Implicative verbs", 1971; Karttunen and Zaenen, "Veridicity", 2005), as far as stories use them. Verbs of saying and
thinking are not among them: who hears that somebody says so has heard it, too.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from itertools import pairwise

from .clauses import HAVE, SAYING, is_content, is_verb_form, word_list
from .negation import base_of, is_negated

_HOPES = word_list(
    "hope wish dream imagine fear doubt suspect guess bet pray want expect desire long yearn intend plan threaten"
    " demand urge propose wonder fancy suppose assume presume"
)
_CHANCES = word_list(
    "afraid scared possible impossible likely unlikely probable improbable conceivable unthinkable rumoured rumored"
)
NOT_SO = frozenset(map(base_of, _HOPES | _CHANCES))
"""What depends on one of these need not be so: "I hope Anna stole it", "it is possible that Anna stole it"."""
_NOT_QUITE = word_list(
    "almost nearly practically virtually supposedly allegedly reportedly presumably probably possibly"
)
_BEFORE_GERUNDS = word_list("from of without before against about at to instead")
_YET_TO_COME = word_list("before until till once when whenever unless lest if")
_ARTICLES = word_list("the a an my your his her its our their this that these those no some any every")
_OPENINGS = word_list("and but so please then now")
_UNREAL = word_list("let let's had were should make see ensure keep check")
"""At the beginning of a clause, these make it unreal: "see that the door is locked"."""
_NO_CHOICE = word_list("not so two three more less later else otherwise rather better at")
"""Behind "or", these are no other choice: "in a day or two"."""
_SUBJECTS = word_list("i you he she it we they somebody someone")
_NEAR = 8
"""Tokens between "before" and the verb: "before the old king of Thule dies"."""
_ONGOING = word_list("that to and or")
"""What a hope is about goes on behind these, in another clause."""
_SAYING = frozenset(map(base_of, SAYING))


def hoped_from(tokens: Sequence[str], asked: Set[str], *, is_ongoing: bool) -> int | None:
    """The place from which the clause is only hoped, feared or the like; `None` if it is not.

    `asked` are words that the question itself has. `is_ongoing` says that the clause before ended so.
    """
    begin = 0 if is_ongoing and tokens[0] in _ONGOING else None
    for at, token in enumerate(tokens):
        base = base_of(token)
        if begin is not None and base in _SAYING and base not in asked:
            return None  # "I want you to know that …"
        if begin is None and base in NOT_SO and base not in asked and not (at and tokens[at - 1] in _ARTICLES):
            begin = at + 1
    return begin


def is_not_done(tokens: Sequence[str], at: int) -> bool:
    """Whether the verb at this place is not said to be done: "nearly fell", "from falling", "before she falls"."""
    before = tokens[max(0, at - _NEAR) : at]
    if not _NOT_QUITE.isdisjoint(before[-2:]):
        return True
    verb = tokens[at]
    if verb.endswith("ing"):
        return bool(before) and before[-1] in _BEFORE_GERUNDS
    return not is_verb_form(verb) and not _YET_TO_COME.isdisjoint(before) and HAVE.isdisjoint(before)


def is_unreal(tokens: Sequence[str]) -> bool:
    """Whether the whole clause is only commanded or supposed: "let Jack steal it", "had Jack stolen it"."""
    words = [each for each in tokens[:4] if each[0].isalnum() and each not in _OPENINGS]
    return not _UNREAL.isdisjoint(words[:1]) and _SAYING.isdisjoint(map(base_of, tokens)) and "mind" not in tokens


def choices(clauses: Sequence[Sequence[str]]) -> list[frozenset[int]]:
    """For each clause of a sentence, the places of what is one of several choices: "in the cellar or in the attic"."""
    found: list[frozenset[int]] = [frozenset() for _ in clauses]
    for number, (before, clause) in enumerate(pairwise(clauses), 1):
        if clause[0] != "or" or len(clause) < 2 or clause[1] in _NO_CHOICE or is_negated(before):
            continue
        if "either" in before or _is_whole(clause):
            found[number - 1], found[number] = frozenset(range(len(before))), frozenset(range(len(clause)))
        else:
            found[number - 1] |= _last_phrase(before, clause[1])
            found[number] |= frozenset(range(_end_of_phrase(clause, 1)))
    return found


def _is_whole(clause: Sequence[str]) -> bool:
    """Whether it says by itself what somebody does: "or I burn down your shop"."""
    return clause[1] in _SUBJECTS or any(map(is_verb_form, clause[1:_NEAR]))


def _last_phrase(clause: Sequence[str], begin: str) -> frozenset[int]:
    """The places of the last phrase that begins with this word, or else of the last words that carry meaning."""
    at = next((at for at in range(len(clause) - 1, -1, -1) if clause[at] == begin), None)
    if at is None or is_content(begin):
        at = len(clause)
        while at > 0 and is_content(clause[at - 1]):
            at -= 1
    return frozenset(range(at, len(clause)))


def _end_of_phrase(clause: Sequence[str], at: int) -> int:
    while at < len(clause) and not is_content(clause[at]):
        at += 1
    while at < len(clause) and is_content(clause[at]):
        at += 1
    return at
