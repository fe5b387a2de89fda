"""What the words of one message say for and against its speaker's going, each sign by itself."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..text.farewells import bids_farewell, leave_taken
from ..text.names import Mention
from .inventory import Inventory
from .phrases import PhraseFound
from .tokens import Tokens, tokenised, words_in

_NO_DOUBT = frozenset({"named_before", "named_after"})
BARELY_DOUBTED = frozenset({"late", "named_after"})
"""What is noted about a phrase, and speaks neither for nor against it by itself."""
_DUTIES = frozenset({"duty", "no_duty"})
_SURE = frozenset({"leaves", "farewell"})
_SPOKEN_OF = frozenset({"told", "asked"})
_NEAR = 3
"""Tokens within which a word that somebody told or denied something belongs to a phrase."""
_TOLD = {"leaves": 1, "stated": 0, "deeds": 0}
"""Tokens within which a word of telling does: what stands before a farewell may be about it, as in `a last goodbye`."""
_ENDING = 3
"""Signs of Japanese or Chinese that an ending has at most: `寝ました`."""
_FIRST_SIGN = "\u3040"


@dataclass(frozen=True, slots=True)
class Signs:
    """What was found in the words of a message, and what speaks against each."""

    found: tuple[tuple[str, frozenset[str]], ...] = ()
    """Acts, each with the doubts about it; in the order of the text."""
    parted: frozenset[str] = frozenset()
    """Ids of those whose names stand beside a farewell: `gn tom`."""
    tokens: int = 0
    """How many words there are."""
    away: frozenset[str] = frozenset()
    """Ids of those of whom it says that they are gone, or perceive nothing: `Ann is asleep`."""

    def clean(self, act: str) -> int:
        """How often an act is told without a doubt."""
        return sum(1 for each, doubts in self.found if each == act and not doubts)

    def bids(self) -> bool:
        """Whether somebody is bid farewell, by name or not."""
        return any(each in ("farewell", "bids") and doubts <= BARELY_DOUBTED for each, doubts in self.found)

    def any(self, act: str) -> bool:
        """Whether an act is told at all."""
        return any(each == act for each, _ in self.found)


NO_SIGNS = Signs()


def signs(texts: Iterable[tuple[str, tuple[Mention, ...]]], inventory: Inventory) -> Signs:
    """The signs in what is said aloud, each text with the names in it. Recent messages are remembered."""
    return _signs(tuple(texts), inventory)


@lru_cache(maxsize=256)
def _signs(texts: tuple[tuple[str, tuple[Mention, ...]], ...], inventory: Inventory) -> Signs:
    found: list[tuple[str, frozenset[str]]] = []
    away: set[str] = set()
    parted: set[str] = set()
    length = 0
    for text, mentions in texts:
        words = words_in(text, inventory.fillers)
        length += len(words)
        hits, stated, bids = inventory.phrases.find(words), list(leave_taken(text)), bids_farewell(text)
        if not (hits or stated or bids):
            continue  # as most texts: their clauses need not be known
        tokens = tokenised(text, inventory.fillers)
        named = _named(tokens, mentions)
        hits += [_spanned("stated", tokens, span) for span in stated]
        for hit, doubts in _in_text(hits, tokens, named, inventory, bids=bids):
            if hit.act == "away":
                away.update(() if doubts - {"named_before"} else _plainly_told(hit, tokens, named))
            else:
                found.append((hit.act, doubts))
                parted.update(_beside(hit, named) if hit.act == "farewell" and doubts <= BARELY_DOUBTED else ())
    return Signs(tuple(found), frozenset(parted), length, frozenset(away)) if found or away else NO_SIGNS


def _in_text(
    hits: Sequence[PhraseFound], tokens: Tokens, named: Mapping[int, str], inventory: Inventory, *, bids: bool
) -> Iterator[tuple[PhraseFound, frozenset[str]]]:
    ordered = {hit.first for hit in hits if hit.act == "orders"}
    judged = list(_judged(hits, tokens, named, inventory))
    if bids and not _talked_about(judged):
        yield PhraseFound("bids", 0, 0, None, None), frozenset()
    for hit, doubts in judged:
        if hit.act != "leaves" or hit.first not in ordered or hit.first - 1 not in named:  # `Ben, geh ins Bett!`
            yield hit, doubts


def _beside(hit: PhraseFound, named: Mapping[int, str]) -> Iterator[str]:
    return (named[at] for at in (hit.first - 1, hit.behind) if at in named)


def _talked_about(judged: Sequence[tuple[PhraseFound, frozenset[str]]]) -> bool:
    """Whether every farewell is told of or asked about: `see you later was the last thing he said`."""
    farewells = [doubts for hit, doubts in judged if hit.act == "farewell"]
    return bool(farewells) and all(doubts & _SPOKEN_OF for doubts in farewells)


def _plainly_told(hit: PhraseFound, tokens: Tokens, named: Mapping[int, str]) -> Iterator[str]:
    """Whom a phrase is about, if their name and the phrase are all that its clause says: `Ann is off to a good start`
    speaks of no going, nor does `everyone but Ann left`."""
    begin, end = tokens.clause(hit.first)
    left = end - hit.behind
    if left > _ENDING or any(each < _FIRST_SIGN for each in tokens.words[hit.behind : end]):
        return
    who = {named.get(at) for at in range(begin, hit.first)}
    if len(who) == 1:
        yield from (id for id in who if id is not None)


def told_without_doubt(
    hits: Sequence[PhraseFound], tokens: Tokens, mentions: Sequence[Mention], inventory: Inventory
) -> Iterator[int]:
    """The first token of each of these phrases that nothing around it speaks against."""
    for hit, doubts in _judged(hits, tokens, _named(tokens, mentions), inventory):
        if doubts <= _NO_DOUBT:
            yield hit.first


def _judged(
    hits: Sequence[PhraseFound], tokens: Tokens, named: Mapping[int, str], inventory: Inventory
) -> Iterator[tuple[PhraseFound, frozenset[str]]]:
    """The phrases that stand as they must, each with the doubts about it."""
    if not hits:
        return
    hits = [
        hit
        for hit in hits
        if (hit.closes is None or _closes(tokens, hit, named, inventory))
        and (hit.opens is None or _opens(tokens, hit, named, inventory))
    ]
    if not hits:
        return
    hits = list(_longest(hits))
    covered = {at for hit in hits if hit.act not in _DUTIES for at in range(hit.first, hit.behind)}
    doubts = [hit for hit in inventory.doubts.find(tokens.words) if covered.isdisjoint(range(hit.first, hit.behind))]
    judged = [(hit, frozenset(_doubts(tokens, hit, doubts, named))) for hit in hits]
    for hit, found in judged:
        yield hit, found.union(*(more for around, more in judged if _lies_within(hit, around)))


def _lies_within(hit: PhraseFound, around: PhraseFound) -> bool:
    """Whether a farewell is a part of what is told as leave-taking: `I was about to say goodnight`."""
    return hit.act == "farewell" and around.act == "leaves" and around.first < hit.first and hit.behind <= around.behind


def _spanned(act: str, tokens: Tokens, span: tuple[int, int]) -> PhraseFound:
    """What the grammar of obligation found (`I really have to get going`), as a phrase."""
    first = max(0, bisect_right(tokens.starts, span[0]) - 1)
    return PhraseFound(act, first, max(first + 1, bisect_left(tokens.starts, span[1])), None, None)


def _named(tokens: Tokens, mentions: Sequence[Mention]) -> Mapping[int, str]:
    """The tokens that are somebody's name, and whose."""
    starts = tokens.starts
    spans = ((each.id, bisect_left(starts, each.start), bisect_left(starts, each.end)) for each in mentions)
    return {at: id for id, first, behind in spans for at in range(first, behind)}


def _closes(tokens: Tokens, hit: PhraseFound, named: Mapping[int, str], inventory: Inventory) -> bool:
    """Whether a clause ends behind a phrase, or something new begins there."""
    behind = hit.behind
    if behind >= len(tokens.words) or tokens.clauses[behind] != tokens.clauses[behind - 1]:
        return True
    return behind in named or tokens.words[behind] in inventory.goes_on.get(hit.closes or "", ())


def _opens(tokens: Tokens, hit: PhraseFound, named: Mapping[int, str], inventory: Inventory) -> bool:
    """Whether a clause begins with a phrase."""
    before = hit.first - 1
    if before < 0 or tokens.clauses[before] != tokens.clauses[hit.first]:
        return True
    return before in named or tokens.words[before] in inventory.opens.get(hit.opens or "", ())


def _longest(hits: Sequence[PhraseFound]) -> Iterator[PhraseFound]:
    """Of phrases of an act that overlap, the longest."""
    behind: dict[str, int] = {}
    for hit in sorted(hits, key=lambda hit: (hit.first, -hit.behind)):
        if hit.first >= behind.get(hit.act, 0):
            behind[hit.act] = hit.behind
            yield hit


def _doubts(tokens: Tokens, hit: PhraseFound, doubts: Sequence[PhraseFound], named: Mapping[int, str]) -> Iterator[str]:
    """What speaks against a phrase, from the words around it."""
    begin, end = tokens.clause(hit.first)
    opens, closes = tokens.sentence(hit.first)
    within = doubts[bisect_left(doubts, opens, key=_first) : bisect_left(doubts, closes, key=_first)]
    turned = max((doubt.behind for doubt in within if doubt.act == "but" and doubt.behind <= hit.first), default=-1)
    about = (doubt for doubt in within if doubt.act != "but" and (doubt.first >= turned or doubt.act != "if"))
    yield from (_MEANS[doubt.act] for doubt in about if _REACHES[doubt.act](hit, doubt, begin, end))
    if tokens.sentences[hit.first] in tokens.questions and tokens.clauses[closes - 1] == tokens.clauses[hit.behind - 1]:
        yield "asked"
    if hit.first - 1 in named and (begin < hit.first or hit.act == "farewell"):
        yield "named_after" if hit.act == "farewell" else "named_before"
    if hit.behind in named and (hit.behind < end or hit.act == "farewell"):
        yield "named_after"
    if hit.act in _SURE and hit.first - begin > _NEAR:
        yield "late"


def _first(found: PhraseFound) -> int:
    return found.first


def _is_before(hit: PhraseFound, doubt: PhraseFound, begin: int, end: int) -> bool:
    return doubt.behind <= hit.first


def _is_right_after(hit: PhraseFound, doubt: PhraseFound, begin: int, end: int) -> bool:
    return hit.behind <= doubt.first <= hit.behind + 1 and doubt.first < end


def _is_next(hit: PhraseFound, doubt: PhraseFound, begin: int, end: int) -> bool:
    return doubt.first == hit.behind < end


def _tells(hit: PhraseFound, doubt: PhraseFound, begin: int, end: int) -> bool:
    return begin <= doubt.first and 0 <= hit.first - doubt.behind < _TOLD.get(hit.act, _NEAR)


def _denies(hit: PhraseFound, doubt: PhraseFound, begin: int, end: int) -> bool:
    near = 0 <= hit.first - doubt.behind <= _NEAR or 0 <= doubt.first - hit.behind < _NEAR
    return begin <= doubt.first < end and near


def _is_another_day(hit: PhraseFound, doubt: PhraseFound, begin: int, end: int) -> bool:
    return hit.act != "farewell" and begin <= doubt.first < end


_REACHES: Mapping[str, Callable[[PhraseFound, PhraseFound, int, int], bool]] = {
    "if": _is_before,
    "unless": _is_right_after,
    "about": _is_next,
    "told": _tells,
    "not": _denies,
    "later": _is_another_day,
}
"""Whether a doubt is about a phrase; the numbers: the first token of the clause, and the one behind its last."""
_MEANS = {"if": "if", "unless": "if", "about": "told", "told": "told", "not": "not", "later": "later"}
