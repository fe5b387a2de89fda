"""Who is behind a mask: known to the audience of an unmasking, and to those who were told so in words. Pure functions.

The name in front of what was said in disguise is not proof: everybody who heard Monsieur Roux speak of Count Fosco has
both names in one memory.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise

from ..end.disguises import SPEAK_AS
from ..formats import parts_of
from ..patterns import lazy_pattern
from ..records.disguise import Unmasking
from ..records.plan import Delivery
from ..records.snapshot import Snapshot
from ..words import STOP_WORDS, terms
from .rarity import asked_terms

Proof = tuple[Delivery, bool]
"""A delivery, and whether it contains the fact only as world knowledge."""

_ASIDE = frozenset(
    terms("really actually indeed truly fact truth none other same one man woman person mask disguise behind")
)
"""What a question about two names may hold besides them."""
_EQUALS = frozenset(terms("is was be s are were isn wasn as disguise disguised mask masked alias aka called"))
"""Between two names that are said to be one person's there is one of these …"""
_LINKS = _EQUALS | _ASIDE | frozenset(terms("in the a and than of himself herself who not never no isn wasn t"))
"""… and nothing but these."""
_ASKS_WHO = lazy_pattern(r"(?i)^\W*who(?:'s|’s| is| was)\b")
_SENTENCE = lazy_pattern(r"[^.!?\n]+")


@dataclass(frozen=True)
class AskedMask:
    """A mask of which a question names the wearer."""

    wearer: str
    """Id of the character."""
    name: str
    """The mask's name."""
    own_name: str
    """The wearer's display name."""
    of_mask: Set[str]
    """The terms of the mask's name that are not in the wearer's own names."""
    of_wearer: Set[str]
    """The terms of the wearer's own names that are not in the mask's name."""
    asked: Set[str]
    """The question's terms."""
    sources: Collection[str]
    """Keys of the entries that revealed who it is."""

    @property
    def is_identity(self) -> bool:
        """Whether the question asks for nothing but this: "Monsieur Roux is Count Fosco"."""
        return bool(self.asked & self.of_mask)

    def is_named_in(self, delivery: Delivery, text: str) -> bool:
        """Whether a delivery, in which `text` was said, reveals to its owner who is behind the mask, or says so."""
        return self.is_shown_by(delivery) or self._is_stated(text)

    def is_shown_by(self, delivery: Delivery) -> bool:
        """Whether a delivery is the unmasking that a question about who it is asks for, in whatever words."""
        return self.is_identity and delivery.part != "message" and delivery.source in self.sources

    def is_shown_in(self, delivery: Delivery) -> bool:
        """Whether its owner knows who said it in disguise: "Count Fosco (as Monsieur Roux)"."""
        data = delivery.metadata
        return data.get(SPEAK_AS) == self.name and data.get("speaker") == self.wearer

    def is_meant(self, delivery: Delivery, text: str) -> bool:
        """Whether its owner knows that it is about the wearer: not if the mask said it, without the wearer's name."""
        hidden = delivery.disguises.get(self.wearer)
        if hidden is None or delivery.metadata.get("speaker") != hidden:
            return True
        said, rest = set(terms(text)), self.asked - self.of_wearer
        return self.asked & self.of_wearer <= said and (not rest or not rest.isdisjoint(said))

    def _is_stated(self, text: str) -> bool:
        return any(self._is_linked(said) for said in map(terms, _SENTENCE.findall(text)))

    def _is_linked(self, said: list[str]) -> bool:
        names = [place for place, term in enumerate(said) if term in self.of_mask or term in self.of_wearer]
        return any(
            (said[here] in self.of_mask) != (said[there] in self.of_mask) and _equate(said[here + 1 : there])
            for here, there in pairwise(names)
        )


def asked_masks(question: str, snapshot: Snapshot) -> tuple[AskedMask, ...]:
    """The masks of those whom a question names by their own names, or of whom it asks who they are ("Who is Roux?").

    None in a story without disguises.
    """
    if not snapshot.masks:
        return ()
    asks_who = _ASKS_WHO.search(question) is not None
    found = list(_asked_masks(frozenset(asked_terms(question)), snapshot, asks_who=asks_who))
    return tuple([each for each in found if each.is_identity] or found)


def admitted(proofs: Sequence[Proof], masks: Sequence[AskedMask]) -> Sequence[Proof]:
    """Those of one owner's proofs that prove what a question about a mask asks."""
    if not masks:
        return proofs
    said = [(proof, said_in(proof)) for proof in proofs]
    if not masks[0].is_identity:
        return [proof for proof, text in said if all(each.is_meant(proof[0], text) for each in masks)]
    named = [proof for proof, text in said if any(each.is_named_in(proof[0], text) for each in masks)]
    return named or [proof for proof in proofs if any(each.is_shown_in(proof[0]) for each in masks)]


def answered(question: str, masks: Sequence[AskedMask]) -> str:
    """The question; of "Who is Roux?" the answer: "Monsieur Roux is Count Fosco"."""
    asked = [each for each in masks if each.is_identity] if _ASKS_WHO.search(question) else []
    return f"{asked[0].name} is {asked[0].own_name}" if asked else question


def restated(question: str, masks: Sequence[AskedMask]) -> str:
    """The question with both names in full, so that "Roux is not Count Fosco" denies "Roux is Fosco"."""
    names = [f"{each.name} {each.own_name}" for each in masks if each.is_identity]
    return " ".join([question.rstrip(" ?."), *names]) if names else question


def said_in(proof: Proof) -> str:
    """The text that was said, without the name in front of it."""
    delivery, as_news = proof
    if not as_news:
        return parts_of(delivery.body).text
    return "\n".join(parts_of(line.text).text for line in delivery.knowledge)


def _asked_masks(asked: frozenset[str], snapshot: Snapshot, *, asks_who: bool) -> Iterator[AskedMask]:
    for id, masks in snapshot.masks.items():
        if id not in snapshot.cast:
            continue
        own = {term for name in snapshot.cast[id].names for term in terms(name)} - STOP_WORDS
        for name in masks:
            mask = set(terms(name)) - STOP_WORDS
            of_mask, of_wearer = mask - own, own - mask
            only_names = asked <= mask | own | _ASIDE
            is_named = asked & of_wearer and (only_names or not asked & of_mask)
            if of_mask and (is_named or (asks_who and only_names and asked & of_mask)):
                yield AskedMask(
                    id, name, snapshot.cast[id].name, of_mask, of_wearer, asked, _sources(snapshot.unmaskings, id, name)
                )


def _sources(unmaskings: Collection[Unmasking], character: str, name: str) -> frozenset[str]:
    return frozenset(each.source for each in unmaskings if (each.character, each.name) == (character, name))


def _equate(between: Collection[str]) -> bool:
    words = frozenset(between)
    return words <= _LINKS and not words.isdisjoint(_EQUALS)
