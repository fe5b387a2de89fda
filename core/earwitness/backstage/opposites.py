"""What contradicts a statement in other words: "the gate is locked", where it was asked whether it is open. Pure.

For English. Of two words that exclude each other, such as two days of the week, two rooms or two colours, only one can
be so of the same thing: who was told the statement with the other one was told otherwise. Places of different size
exclude nobody: who is in the library may be in the castle.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cache

from ..patterns import lazy_pattern
from .claims import Claim
from .clauses import BE, is_content, word_list
from .heard_texts import FollowedWords
from .negation import TOKEN, base_of
from .plain_sentences import DEFINITE, Equation, PlainSentence, phrase_end

_WORDS = """
    dead | alive living
    open | closed locked shut barred bolted
    well healthy | sick ill unwell dying
    empty | full
    safe | dangerous unsafe
    guilty | innocent
    genuine real | fake forged false
    asleep | awake
    rich | poor
    poisoned | harmless
    married | unmarried
    free | captive imprisoned
    friend | enemy
    black | white | red | blue | green | yellow | brown | grey gray | golden | silver
    monday | tuesday | wednesday | thursday | friday | saturday | sunday
    dawn daybreak sunrise | noon midday | dusk sunset nightfall | midnight
    morning | afternoon | evening
    spring | summer | autumn | winter
    january | february | march | april | june | july | august | september | october | november | december
    north | south | east | west
    one | two | three | four | five | six | seven | eight | nine | ten | eleven | twelve
    | twenty | thirty | forty | fifty | sixty | seventy | eighty | ninety | hundred
"""
_PLACES = """
    cellar basement | attic loft | kitchen | pantry | library | bedroom | nursery | armoury armory | hall | dungeon
    | bathroom | scullery | study
    box | chest | drawer | vase | jug | kettle | pot | basket | bag sack | barrel | bucket | purse | wardrobe
    | cupboard | cabinet | coffin | oven | stove | chimney | pillow | mattress | carpet rug | well | pond
    castle palace | church | inn tavern | mill | convent monastery abbey | lighthouse
"""
_MANY = word_list(
    "brother sister friend son daughter cousin uncle aunt child servant guest enemy member guard witness lover spy"
    " thief one"
)
"""Several may be the brother of somebody."""

_RULED_OUT = lazy_pattern(
    r"\b(?:the|my|your|his|her|our|their) (?:\w+ )??(?P<empty>\w+) (?:is|was) (?:now )?empty\b"
    r"|\bnot (?:in|inside|at|on|under|behind) (?:the|my|your|his|her|our|their) (?:\w+ )??(?P<not>\w+)\b"
    r"(?! \w+ (?:is|was))"
)
WordGroups = Mapping[str, int]


@cache
def _kinds(table: str) -> Mapping[str, Sequence[WordGroups]]:
    """Word → its kinds. A kind maps each of its words to the number of those that mean the same."""
    found: dict[str, list[WordGroups]] = {}
    for line in table.replace("\n    |", " |").strip().splitlines():
        kind = {word: number for number, group in enumerate(line.split("|")) for word in group.split()}
        for word in kind:
            found.setdefault(word, []).append(kind)
    return found


def opposites(claim: Claim, said: FollowedWords, elsewhere: Set[str] = frozenset()) -> Iterator[Claim]:
    """The statements that contradict this one, with a word of what was `said`.

    `elsewhere` are places of which somebody said that what is asked about is not there.
    """
    tokens = TOKEN.findall(claim.question.rstrip(" .?!"))
    folded = [each.casefold() for each in tokens]
    for at in range(_predicate(folded, claim), len(tokens)):
        if folded[at] in said.every:
            continue
        after = folded[at + 1] if at + 1 < len(folded) and is_content(folded[at + 1]) else ""
        words = said.in_front_of(after) if after else said.every
        for other in _excluded(folded[at], words, claim, elsewhere):
            yield Claim(" ".join([*tokens[:at], other, *tokens[at + 1 :]]), claim.names)


def _excluded(token: str, words: Set[str], claim: Claim, elsewhere: Set[str]) -> Iterator[str]:
    """The words that exclude one of a statement."""
    tables = [_WORDS, *([_PLACES] if claim.place and _is_one(claim) else ())]
    for kind in (kind for table in tables for kind in _kinds(table).get(token, ())):
        yield from sorted(each for each in words & kind.keys() if kind[each] != kind[token])
    if base_of(token) in claim.place_words:
        yield from sorted(words & elsewhere - {token})


def ruled_out(text: str) -> Iterator[str]:
    """The places of which a text says that nothing, or not what it is about, is there: "the vase is empty"."""
    for found in _RULED_OUT.finditer(text.casefold()):
        yield found["empty"] or found["not"]


def emptied(claim: Claim) -> Claim | None:
    """For a statement that something is in something: that this is empty."""
    if claim.place not in {"in", "inside"} or not claim.place_words:
        return None
    at = claim.tokens.index(claim.place)
    return Claim(f"{' '.join(claim.tokens[at + 1 :]).rstrip(' .?!')} is empty", claim.names)


def only_one(claim: Claim) -> Equation | None:
    """What a statement equates, if it says that somebody is somebody or something; `None` for any other one."""
    is_equation = claim.link == "be" and not claim.is_open
    asked = PlainSentence.of(claim.question).relation if is_equation else None
    return asked if isinstance(asked, Equation) else None


def names_another(asked: Equation, sentence: PlainSentence) -> bool:
    """Whether somebody is said to be the only one of a kind, and the sentence says that somebody else is."""
    said = sentence.relation
    if not isinstance(said, Equation):
        return False
    for name, role in (asked.phrases, asked.phrases[::-1]):
        if len(role) > 1 and role[0] == "the" and role[phrase_end(role, 0) - 1] not in _MANY:
            others = [one for one, other in (said.phrases, said.phrases[::-1]) if other == role]
            return any(each != name and {*each} & sentence.proper and not {*each} & {*name} for each in others)
    return False


def has_same_subject(claim: Claim, lesser: Claim) -> bool:
    """Whether a statement with less detail is about the same: what is so of the gate need not be of the north gate."""
    end = _predicate(claim.tokens, claim)
    return claim.tokens[:end] == lesser.tokens[:end]


def _predicate(tokens: Sequence[str], claim: Claim) -> int:
    """Where what is said of the subject begins."""
    verbs = claim.verbs & claim.sure
    return next((at for at, each in enumerate(tokens) if each in BE or base_of(each) in verbs), 0)


def _is_one(claim: Claim) -> bool:
    """Whether it asks about one thing or person: not "a guard", "guards"."""
    return claim.tokens[0] in claim.names or claim.tokens[0] in DEFINITE
