"""New facts beside those that are known: the same again, something new, or a new version. Nothing old is lost. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from earwitness import Derivation
from earwitness.records.character import Cast
from earwitness.records.memory_types import MetaValue

from .exchanges import HeardExchange
from .model_answer import DrawnFact
from .places import FactScope, described, fact_id, identity, place_of, with_others

MOST_VERSIONS = 50
"""In so many versions a fact that is said again is found."""
SUBJECT = "characterId"
"""The metadata that says whom a fact is about."""


@dataclass(frozen=True, slots=True)
class KnownFact:
    """A fact that somebody knows, or will know once it is approved."""

    text: str
    """The fact as a sentence."""
    metadata: Mapping[str, MetaValue]
    """Its metadata."""
    is_open: bool = False
    """Whether nobody has approved it yet, or somebody has rejected it: it is proposed no more."""
    grounds: tuple[str, ...] = ()
    """What it rests on, where that is known."""

    def is_about(self, subject: str, about: str) -> bool:
        """Whether it says something else of the same thing."""
        return self.metadata.get("about") == about and self.metadata.get(SUBJECT, subject) == subject

    def learned_in(self, channel: Mapping[str, object]) -> bool:
        """Whether it was learned in this channel, so that it may be shown with what was said there."""
        fields = ("contextType", "channelId", "guildId", "personaId")
        return all(self.metadata.get(each) == channel.get(each) for each in fields)


KnownFacts = Mapping[str, Sequence[KnownFact]]
"""Character id → the facts that this character knows."""


@dataclass(frozen=True, slots=True)
class FactMemories:
    """What is to be written for one fact."""

    fact: DrawnFact
    """The fact."""
    new: tuple[Derivation, ...]
    """For those to whom it is new, or another version."""
    again: tuple[Derivation, ...]
    """For those who know it already: one more support."""


@dataclass(frozen=True, slots=True)
class Reconciler:
    """Turns the facts of one exchange into memories of those who heard it."""

    session: str
    cast: Cast
    exchange: HeardExchange
    scope: FactScope
    rule: str

    def memories(self, fact: DrawnFact, known: KnownFacts) -> FactMemories:
        """The memories of a fact: one for each listener, or one beyond the story that stands for several."""
        new: dict[object, Derivation] = {}
        again: dict[object, Derivation] = {}
        for id in self.exchange.listeners(fact.line):
            theirs = known.get(id, ())
            version, is_known = self._version(fact, theirs)
            same = [each for each in theirs if self._says(fact, each, version)]
            if is_known and any(each.is_open or fact.line.ground in each.grounds for each in same):
                continue
            made = self._memory(fact, id, version)
            (again if is_known else new).setdefault(made.container or made.owner, made)
        return FactMemories(fact, tuple(new.values()), tuple(again.values()))

    def _version(self, fact: DrawnFact, known: Iterable[KnownFact]) -> tuple[int, bool]:
        """Which version of it this is for somebody who knows these; and whether they know it in that version."""
        theirs = [each for each in known if each.is_about(fact.subject.id, fact.about)]
        latest = max((_number(each) for each in theirs), default=0)
        if fact.replaces:
            is_latest = any(self._says(fact, each, latest - 1) for each in theirs if _number(each) == latest)
            return (max(0, latest - 1), True) if is_latest else (latest, False)
        return 0, any(self._says(fact, each, 0) for each in theirs)

    def _says(self, fact: DrawnFact, known: KnownFact, version: int) -> bool:
        same = fact_id(self.session, fact.subject, fact.id, max(0, version))
        return known.metadata.get("factId") == same or known.text.casefold() == fact.text.casefold()

    def _memory(self, fact: DrawnFact, listener: str, version: int) -> Derivation:
        message = fact.line.message
        is_own = fact.subject.id == message.speaker  # beyond the story goes only what users say of themselves
        heard = frozenset(self.exchange.present - {message.speaker})
        scope: FactScope = (
            "session" if not is_own else ("personal" if fact.private and self.scope == "user" else self.scope)
        )
        where = place_of(scope, self.cast, message, self.cast[listener], heard)
        told = described(
            fact.about,
            round(fact.confidence, 2),
            fact_id(self.session, fact.subject, fact.id, version),
            version if fact.replaces else None,
        )
        made = Derivation(
            content=fact.text,
            rests_on=(fact.line.ground,),
            rule=self.rule,
            identity=identity(fact.subject, fact.id, version),
            metadata={**told, SUBJECT: fact.subject.id, **message.message.channel.metadata},
            **where,  # type: ignore[arg-type]
        )
        return with_others(made, self.cast, message)


def with_new(known: KnownFacts, new: Iterable[Derivation], *, is_open: bool) -> KnownFacts:
    """What everybody knows once these are written, or wait for approval (`is_open`)."""
    found = {id: [*theirs] for id, theirs in known.items()}
    for each in new:
        for id in each.knowers:
            fact = KnownFact(each.content, each.metadata, is_open=is_open, grounds=each.rests_on)
            found.setdefault(id, []).append(fact)
    return found


def _number(known: KnownFact) -> int:
    """Which version it is, the first one being 1; 1 where it has none."""
    version = known.metadata.get("version")
    return int(version) if isinstance(version, int | float) and 0 < version <= MOST_VERSIONS else 1
