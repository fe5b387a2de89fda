"""What a clause of English does with one of its words: it plans or commands it, and who does it. Pure functions.

Cautious: a clause that none of these rules recognizes is taken as it is said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from .irregular_verbs import BASE, BASES

SOMEBODY: Final = "somebody"
"""The agent of "somebody stole it"."""
NOBODY_NAMED: Final = ""
"""The agent of "it was stolen" and "a thief stole it": none that anybody knows by name."""


def word_list(words: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(words.split())


CLAUSE_BEGINS = word_list(
    "and or but that because if unless since so who whom whose which what when while although though until till whether"
)
BE = word_list("am is are was were be been being isn't aren't wasn't weren't")
BE_SHORT = ("'s", "'re", "'m")
HAVE = word_list("have has had haven't hasn't hadn't")
AUXILIARIES = HAVE | word_list("do does did can could will would shall should may might must")
NEGATIVE_VERBS = word_list("fail forget refuse neglect decline pretend")
"""Before "to", these deny the verb behind it: "Bea forgot to lock the gate"."""
SAYING = word_list("know tell say hear think believe learn forget mention doubt swear remember admit suspect deny")
"""Behind these a clause may begin without "that": "no one must know the count is dead"."""
_REALIZING = word_list("manage dare happen come get use have")
"""Before "to", these affirm the verb behind it: "she managed to escape"."""
_MODALS = word_list("will would shall should may might must can could")
_ADVERBS = word_list(
    "just also then now even soon once again already still later today yesterday tonight ever both all each"
    " myself yourself himself herself itself ourselves themselves"
)
_BEFORE_COMMANDS = word_list("please then now do not don't never just let us let's so and but go always")
MOST_BEFORE_COMMANDS = 6
"""Words before the verb of a command: "and so please do not always"."""
MOST_BEFORE_BY = 24
"""Words between a passive verb and the name of the one who did it."""
_INDEFINITE = word_list("somebody someone anybody anyone")
_BEFORE_OBJECTS = word_list(
    "the a an my your his her its our their this that these those it him them me us all every no some any"
)
_FUNCTION = _BEFORE_OBJECTS | word_list("you he she we they who which that and or but not never to of in on by with as")
_NO_PARTICIPLES = word_list("king ring thing sacred wicked naked red")


def is_verb_form(token: str) -> bool:
    """Whether it is plainly a past tense or participle."""
    return (token in BASE and token not in BASES) or (token.endswith("ed") and token not in _NO_PARTICIPLES)


def is_unrealized(tokens: Sequence[str], place: int, base: Mapping[str, str]) -> bool:
    """Whether the verb at this place is only planned, wished for or thought possible: "will kill", "wants to kill"."""
    at = _back(tokens, place - 1, HAVE | {"be", "been"})
    if at < 0:
        return False
    if tokens[at] == "to":
        lead = tokens[at - 1] if at else ""
        return bool(lead) and base.get(lead, lead) not in _REALIZING | NEGATIVE_VERBS
    concluded = tokens[at] == "must" and at < place - 1
    return (tokens[at] in _MODALS and not concluded) or tokens[at].endswith("'ll")


def is_command(tokens: Sequence[str], place: int) -> bool:
    """Whether the clause begins by commanding this verb: "burn the bridge", "do not burn it"."""
    if place > MOST_BEFORE_COMMANDS:
        return False
    token, after = tokens[place], tokens[place + 1] if place + 1 < len(tokens) else "the"
    is_bare = token in BASES or not (token in BASE or token.endswith(("s", "ed", "ing")))
    before = [each for each in tokens[:place] if each[0].isalnum()]
    return is_bare and after in _BEFORE_OBJECTS and _BEFORE_COMMANDS.issuperset(before)


def agent(tokens: Sequence[str], place: int, names: Mapping[str, str], speaker: str | None) -> str | None:
    """Id of the character who does what the verb at this place says; `None` if that is not clear.

    `names` maps each name to a character id. The result may be `SOMEBODY` or `NOBODY_NAMED`.
    """
    verb = tokens[place]
    at = _back(tokens, place - 1, AUXILIARIES | {"not", "never"})
    if at >= 0 and is_verb_form(verb) and (tokens[at] in BE or tokens[at].endswith(BE_SHORT)):
        return _by(tokens[place : place + MOST_BEFORE_BY], names, speaker)
    at = _back(tokens, at, AUXILIARIES | BE | {"not", "never"})
    if at < 0 or (at == 1 and tokens[0] in {"and", "or"}):  # "Bob and I did": the clause has half of its subject
        return None
    subject = tokens[at]
    if subject in {"i", "i've", "i'd"}:
        return speaker
    if subject in _INDEFINITE:
        return SOMEBODY
    if subject in names:
        return names[subject]
    return NOBODY_NAMED if subject not in _FUNCTION and is_verb_form(verb) and subject.isalpha() else None


def _by(rest: Sequence[str], names: Mapping[str, str], speaker: str | None) -> str | None:
    """The agent of a passive verb."""
    if "by" not in rest:
        return NOBODY_NAMED
    after = rest[rest.index("by") + 1 :]
    if after and after[0] == "me":
        return speaker
    return next((names[each] for each in after if each in names), SOMEBODY if after[:1] == ["somebody"] else None)


def _back(tokens: Sequence[str], at: int, besides: frozenset[str] | set[str]) -> int:
    """The place of the next word to the left that is neither an adverb nor one of these; negative if there is none."""
    while at >= 0 and (tokens[at] in besides or tokens[at] in _ADVERBS or tokens[at].endswith(("ly", "n't"))):
        at -= 1
    return at
