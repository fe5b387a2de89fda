"""What a clause of English does with one of its words: it plans or commands it, and who does it. Pure functions.

Cautious: a clause that none of these rules recognizes is taken as it is said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from .irregular_verbs import BASE, BASES


@dataclass(frozen=True, slots=True)
class Agent:
    """Somebody who does what a verb says."""

    heads: frozenset[str]
    """The character's id, or the head of the phrase, such as `king` in "the old king of Thule"."""
    words: frozenset[str]
    """All words of the phrase."""

    def may_be(self, other: Agent) -> bool:
        """Whether both phrases may mean the same one."""
        return not self.heads.isdisjoint(other.words) or not other.heads.isdisjoint(self.words)


SOMEBODY: Final = Agent(frozenset({"somebody"}), frozenset({"somebody"}))
"""The agent of "somebody stole it"."""
NOBODY_NAMED: Final = Agent(frozenset(), frozenset())
"""The agent of "it was stolen": none that is named."""


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
_TELLING = SAYING | word_list("ask wonder discover guess find see learn out")
_THIRD_PERSON = word_list("he she it they")
_NEAR_WHO = 3
"""Words before "who" among which is the verb of an indirect question."""
_RELATIVES = word_list("who that which")
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
INDEFINITE = word_list("somebody someone anybody anyone whoever")
_BEFORE_OBJECTS = word_list(
    "the a an my your his her its our their this that these those it him them me us all every no some any"
)
_FUNCTION = _BEFORE_OBJECTS | word_list(
    "i you he she we they who which that and or but not never to of in on by with as"
)
_DETERMINERS = word_list("the a an my your his her its our their this that these those every all no some any")
_PREPOSITIONS = word_list(
    "than about above across after against along among around at before behind below beneath beside between beyond down"
    " during for from in inside into near off on onto out over past since through to toward towards under up upon via"
    " with within without if not never"
)
VAGUE = word_list(
    "nobody none nothing neither one everybody everyone everything something anything much more many others people"
    " it him them me us you there here what who whom"
)
_MODIFYING = word_list("to in at with on from for under behind near beside above below between")
"""Prepositions of what says which one is meant: "the man in the grey cloak"."""
_DO = word_list("do does did didn't don't doesn't")
MOST_OF_PHRASE = 8
"""Words of a phrase that names somebody or something."""
MOST_OF_SUBJECT = 40
"""Words of a subject, with what says which one it is: "the key to the cellar under the old mill"."""
_NO_PARTICIPLES = word_list("king ring thing sacred wicked naked red bed sled seed weed reed deed hundred")


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
        return bool(lead) and not _is_form_of(lead, _REALIZING | NEGATIVE_VERBS)
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


def agent(
    tokens: Sequence[str], place: int, names: Mapping[str, str], speaker: Agent | None, *, is_sure: bool = False
) -> Agent | None:
    """Who does what the verb at this place says; `None` if that is not clear.

    `names` maps each name to a character id. `is_sure` says that it is a verb, whatever its form.
    """
    verb = tokens[place]
    at = _back(tokens, place - 1, AUXILIARIES | {"not", "never"})
    if is_verb_form(verb) and (
        (at >= 0 and (tokens[at] in BE or tokens[at].endswith(BE_SHORT))) or not BE.isdisjoint(_asking(tokens))
    ):
        return _by(tokens[place : place + MOST_BEFORE_BY], names, speaker)
    at = _back(tokens, at, AUXILIARIES | BE | {"not", "never"})
    if at < 0:
        return None
    at = _end_of_subject(tokens, at, names)
    if tokens[at] in {"i", "i've", "i'd"}:
        return None if at == 1 and tokens[0] in {"and", "or"} else speaker
    if not INDEFINITE.isdisjoint(tokens[max(0, at - 1) : at + 1]):  # also "somebody here"
        return SOMEBODY
    if "nor" in tokens[max(0, at - MOST_OF_PHRASE) : at]:
        return named(*(names.get(each, each) for each in tokens[: at + 1] if each in names or is_content(each)))
    begin, found = _phrase(tokens, at, names)
    if begin == 1 and tokens[0] in {"and", "or"}:  # "Bob and Anna did": the clause has half of its subject
        return None
    return found if tokens[at] in names or is_sure or is_verb_form(verb) else None


def pronoun(tokens: Sequence[str], place: int) -> str:
    """The "he", "she", "it" or "they" that does what the verb at this place says; empty if nothing of that does."""
    at = _back(tokens, place - 1, AUXILIARIES | BE | {"not", "never"})
    return tokens[at] if at >= 0 and tokens[at] in _THIRD_PERSON else ""


def relative_agent(tokens: Sequence[str], place: int, before: Sequence[str], names: Mapping[str, str]) -> Agent | None:
    """Who does it in a clause that begins with "who" or the like, given the clause before; `None` in any other clause.

    Behind a verb ("I know who stole it") it is somebody.
    """
    if tokens[0] not in _RELATIVES or _back(tokens, place - 1, AUXILIARIES | BE | {"not", "never"}) > 0:
        return None
    words = [each for each in before[-MOST_OF_PHRASE:] if each[0].isalnum()]
    follows_telling = any(_is_form_of(each, _TELLING) for each in words[-_NEAR_WHO:])  # "ask Bert who stole it"
    if not words or follows_telling or not (is_content(words[-1]) or words[-1] in names):
        return SOMEBODY if tokens[0] == "who" else None
    found = _phrase(words, len(words) - 1, names)[1]
    return SOMEBODY if found is None and tokens[0] == "who" else found


def _is_form_of(token: str, verbs: frozenset[str]) -> bool:
    """Whether a word is a form of one of these verbs, as far as can be told by its ending."""
    base = BASE.get(token, token)
    stems = (base, *(base.removesuffix(each) for each in ("s", "d", "es", "ed", "ing") if base.endswith(each)))
    return not verbs.isdisjoint(stems)


def object_words(tokens: Sequence[str], place: int) -> frozenset[str]:
    """The words of what the verb at this place is done to: `mayor` in "killed the mayor"; none if that is not clear."""
    at, end = place + 1, min(place + 1 + MOST_OF_PHRASE, len(tokens))
    while at < end and (tokens[at] in _DETERMINERS or tokens[at] in _ADVERBS):
        at += 1
    found = set()
    while at < end and is_content(tokens[at]):
        found.add(tokens[at])
        at += 1
    found = {each for each in found if not each.endswith("'s")} or {each.removesuffix("'s") for each in found}
    return frozenset(found) if VAGUE.isdisjoint(found) else frozenset()


def infinitive(tokens: Sequence[str], names: Mapping[str, str]) -> int | None:
    """The place of the verb in a question that begins with an auxiliary: `kill` in "did the mayor kill Bert?"."""
    begin = next((at + 1 for at, each in enumerate(tokens[:2]) if each in _DO), None)
    if begin is None:
        return None
    while begin < len(tokens) and tokens[begin] in _DETERMINERS:
        begin += 1
    end = begin
    while end < len(tokens) and is_content(tokens[end]):
        end += 1
    while end > begin and tokens[end - 1] in names:
        end -= 1
    irregular = (at for at in range(begin + 1, end) if tokens[at] in BASES)
    return next(irregular, end - 1 if end - 1 > begin else None)


def is_between(tokens: Sequence[str], place: int, names: Mapping[str, str]) -> bool:
    """Whether the word stands between who and whom: "Bert loves Clara", "saw Bert kill the mayor"."""
    if not 0 < place < len(tokens) - 1 or tokens[place] in names or not is_content(tokens[place]):
        return False
    before, after = tokens[place - 1], tokens[place + 1]
    if tokens[place] in BASES and before in names:
        return True
    if after not in names and after not in _BEFORE_OBJECTS:
        return False
    return before in names or before == "who" or (tokens[place].endswith("s") and is_content(before) and place > 1)


def _asking(tokens: Sequence[str]) -> set[str]:
    """The auxiliary that begins a question: `was` in "when was the bridge burned?"."""
    first = 1 if tokens[0] in CLAUSE_BEGINS else 0
    return set(tokens[first : first + 1])


def _end_of_subject(tokens: Sequence[str], at: int, names: Mapping[str, str]) -> int:
    """Where the subject of a clause ends without what says which one it is: "the key" of "the key to the cellar"."""
    begin = 1 if tokens[0] in CLAUSE_BEGINS or not tokens[0][0].isalnum() else 0
    if at - begin > MOST_OF_SUBJECT or (tokens[begin] not in _DETERMINERS and tokens[begin] not in names):
        return at
    first = next((place for place in range(begin + 1, at + 1) if not is_content(tokens[place])), at)
    rest = tokens[first : at + 1]
    is_modified = first > begin + 1 and rest[0] in _PREPOSITIONS and any(each in _MODIFYING for each in rest)
    is_phrases = all(is_content(each) or each in _DETERMINERS or each in _MODIFYING or each == "of" for each in rest)
    return first - 1 if is_modified and is_phrases and not any(map(is_verb_form, tokens[begin : at + 1])) else at


def _phrase(tokens: Sequence[str], at: int, names: Mapping[str, str]) -> tuple[int, Agent | None]:
    """Where the phrase that ends here begins, and whom it names; `None` if it is a pronoun or the like."""
    begin, head, words = at + 1, tokens[at], set[str]()
    while begin > max(0, at + 1 - MOST_OF_PHRASE):
        word = tokens[begin - 1]
        if word == "of" and begin >= 2 and is_content(tokens[begin - 2]):
            head, words = tokens[begin - 2], words - frozenset(names.values())  # "a friend of Anna" is not Anna
        elif not is_content(word) and not (word in _DETERMINERS and begin >= 2 and tokens[begin - 2] == "of"):
            break
        if begin <= at and is_verb_form(word):  # "saw Napoleon …"
            break
        words.add(names.get(word, word))
        begin -= 1
    if tokens[at] in names and head == tokens[at]:
        return begin, named(names[tokens[at]])
    known = head.isalpha() and is_content(head) and head not in VAGUE
    return begin, Agent(frozenset({names.get(head, head)}), frozenset(words)) if known else None


def named(*words: str) -> Agent:
    """The one whom each of these words means."""
    return Agent(frozenset(words), frozenset(words))


def is_content(token: str) -> bool:
    """Whether a word carries meaning: no pronoun, article, preposition, auxiliary or the like."""
    return (
        token[0].isalpha()
        and not token.endswith("n't")
        and token not in _FUNCTION
        and token not in _ADVERBS
        and token not in CLAUSE_BEGINS
        and token not in _PREPOSITIONS
        and token not in BE
        and token not in AUXILIARIES
    )


def _by(rest: Sequence[str], names: Mapping[str, str], speaker: Agent | None) -> Agent | None:
    """The agent of a passive verb."""
    if "by" not in rest:
        return NOBODY_NAMED
    after = rest[rest.index("by") + 1 :]
    if after and after[0] == "me":
        return speaker
    if character := next((names[each] for each in after if each in names), None):
        return named(character)
    if after and after[0] in INDEFINITE:
        return SOMEBODY
    words = object_words(rest, rest.index("by"))
    return Agent(words, words) if words else None


def _back(tokens: Sequence[str], at: int, besides: frozenset[str] | set[str]) -> int:
    """The place of the next word to the left that is neither an adverb nor one of these; negative if there is none."""
    while at >= 0 and (tokens[at] in besides or tokens[at] in _ADVERBS or tokens[at].endswith(("ly", "n't"))):
        at -= 1
    return at
