"""The detector that asks others and weighs their answers."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from inspect import isawaitable
from math import exp, log
from typing import Annotated, ClassVar

from pydantic import Field

from earwitness.errors import SettingsError
from earwitness.loading.resources import Resources
from earwitness.loading.settings import Settings
from earwitness.loading.strategies import Strategies
from earwitness.protocols import Detector, Soon
from earwitness.records.base import Record
from earwitness.records.message import Role
from earwitness.records.moment import Moment, Movement, Perceived, Presence, Probability, Segment

from .everyone import Everyone
from .language_model import LanguageModelDetector
from .mentions import Mentions
from .places import Places
from .presence import PresenceDetector
from .recent_speakers import RecentSpeakers
from .rules import RulesDetector
from .text import THREAD_FROM
from .text.first_messages import on_thread

Finite = Annotated[float, Field(allow_inf_nan=False)]
FEWEST = 0.02
"""No voter is surer than this that somebody does not perceive a message, nor, the other way round, that they do."""


class Voter(Record):
    """One detector that is asked."""

    weight: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 1
    """How much its log odds count."""
    settings: dict[str, int | float | bool | str] = {}
    """Its own settings."""


class Vote:
    """Weighted log odds of several detectors, calibrated.

    A character's log odds are the weighted mean of the voters' log odds, times `slope`, plus `intercept` (Platt 1999,
    *Probabilistic outputs for support vector machines*). Nearer to even than `abstain`, nobody is believed to perceive
    it (fail closed). The first voter's word is law in three things: its movements, its segments, and whom a message
    that is not open leaves out.
    """

    thread_from: ClassVar[int] = THREAD_FROM
    """Longer messages are judged on a thread."""
    on_thread = staticmethod(on_thread)
    """So are the first ones of a process."""
    fittable: ClassVar[Mapping[str, tuple[float, float]]] = {
        "voters.rules.weight": (0, 3),
        "voters.recent_speakers.weight": (0, 3),
        "slope": (0.2, 3),
        "intercept": (-2, 2),
    }
    """Settings that `earwitness fit` may fit, and their ranges."""

    def __init__(
        self,
        *,
        voters: Mapping[str, Voter] | None = None,
        slope: Finite = 1,
        intercept: Finite = 0,
        abstain: Probability = 0,
        settings: Settings | None = None,
        resources: Resources | None = None,
        strategies: Strategies | None = None,
    ) -> None:
        """`voters` are names of detectors we ship and what each counts; the first is asked for movements too.

        `settings`, `resources` and `strategies` are what `language_model` needs. Raises `SettingsError` when none is
        asked, one is unknown, or all count nothing.
        """
        asked = voters or {"rules": Voter(weight=2), "recent_speakers": Voter(weight=1)}
        if not sum(voter.weight for voter in asked.values()):
            raise SettingsError("vote: every voter has weight 0; give at least one of them a weight above 0.")
        context = {"settings": settings, "resources": resources, "strategies": strategies}
        self._voters = [(_made(name, voter, context), voter.weight) for name, voter in asked.items()]
        self._names = tuple(asked)
        self.voters = asked
        self.slope, self.intercept, self.abstain = slope, intercept, abstain

    async def open(self) -> None:
        """Open those voters that ask a model."""
        for voter in self._models:
            await voter.open()

    async def close(self) -> None:
        """Close them."""
        for voter in self._models:
            await voter.close()

    @property
    def _models(self) -> list[LanguageModelDetector]:
        return [voter for voter, _ in self._voters if isinstance(voter, LanguageModelDetector)]

    def warm_up(self) -> None:
        """What it reads with is loaded before the first message."""
        for voter, _ in self._voters:
            if callable(load := getattr(voter, "warm_up", None)):
                load()

    def detect(self, moment: Moment) -> Soon[Presence]:
        """Everybody whom any voter believes to be there, with what the vote makes of it."""
        answers = [(voter.detect(moment), weight) for voter, weight in self._voters]
        given = [(answer, weight) for answer, weight in answers if isinstance(answer, Presence)]
        return self._count(moment, given) if len(given) == len(answers) else self._awaited(moment, answers)

    async def _awaited(self, moment: Moment, answers: Sequence[tuple[Soon[Presence], float]]) -> Presence:
        """The vote, once those who have to ask have answered. Their notes and what they cost go with it."""
        given = [(await answer if isawaitable(answer) else answer, weight) for answer, weight in answers]
        asked = [answer for answer, _ in given if answer.usage or answer.notes or answer.version]
        counted = self._count(moment, given)
        if not asked:
            return counted
        notes = tuple(note for each in asked for note in each.notes)
        usage = next((each.usage for each in asked if each.usage), None)
        version = next((each.version for each in asked if each.version), None)
        return counted.model_copy(update={"usage": usage, "notes": notes, "version": version})

    def _count(self, moment: Moment, answers: Sequence[tuple[Presence, float]]) -> Presence:
        first = answers[0][0]
        ids = dict.fromkeys(id for answer, _ in answers for id in answer.characters)
        characters = {id: self._voted(id, answers) for id in ids if id != moment.message.speaker}
        secret = any(segment.audience is not None for segment in first.segments)
        for id, who in characters.items():
            if secret or _shut_out(first.characters.get(id)):
                characters[id] = _at_most(who, first.characters.get(id))
        characters[moment.message.speaker] = Perceived(probability=1, role="speaker", evidence=("said it",))
        movements: tuple[Movement, ...] = first.movements
        segments: tuple[Segment, ...] = first.segments
        return Presence(characters=characters, movements=movements, segments=segments)

    def _voted(self, id: str, answers: Sequence[tuple[Presence, float]]) -> Perceived:
        believed = [(answer.characters.get(id), weight) for answer, weight in answers]
        total = sum(weight for _, weight in believed)
        odds = sum(weight * _log_odds(who.probability if who else 0) for who, weight in believed) / total
        probability = 1 / (1 + exp(-(self.slope * odds + self.intercept)))
        role: Role = next((who.role for who, _ in believed if who), "present")
        evidence = tuple(
            f"{name}: {'; '.join(who.evidence)}" for name, (who, _) in zip(self._names, believed, strict=True) if who
        )
        if abs(probability - 0.5) < self.abstain:
            return Perceived(probability=0, role=role, evidence=(*evidence, "undecided: withheld"))
        return Perceived(probability=probability, role=role, evidence=evidence)


def _log_odds(probability: float) -> float:
    bounded = min(max(probability, FEWEST), 1 - FEWEST)
    return log(bounded / (1 - bounded))


def _shut_out(who: Perceived | None) -> bool:
    """Here, but the message is not for them."""
    return who is not None and who.role in ("overhearing", "present") and who.probability <= 0.1


def _at_most(voted: Perceived, first: Perceived | None) -> Perceived:
    """A secret stays one, whoever else is outvoted."""
    most = first.probability if first else 0.0
    return voted if voted.probability <= most else voted.model_copy(update={"probability": most})


def _made(name: str, voter: Voter, context: Mapping[str, object]) -> Detector:
    kinds: dict[str, Callable[..., Detector]] = {
        "everyone": Everyone,
        "recent_speakers": RecentSpeakers,
        "mentions": Mentions,
        "presence": PresenceDetector,
        "places": Places,
        "rules": RulesDetector,
        "language_model": LanguageModelDetector,
    }
    if name not in kinds:
        raise SettingsError(f"vote: there is no detector {name!r} to ask. Detectors: {', '.join(sorted(kinds))}.")
    parameters = inspect.signature(kinds[name]).parameters
    known = [key for key in parameters if key not in ("args", "kwargs", "end", *context)]
    if strange := [key for key in voter.settings if key not in known]:
        raise SettingsError(f"vote: {name} has no setting {strange[0]!r}; it has {', '.join(known) or 'none'}.")
    needed = {key: each for key, each in context.items() if key in parameters}
    if needed and None in needed.values():
        raise SettingsError(f"vote: {name} can be asked only where the settings of an instance are at hand.")
    return kinds[name](**needed, **voter.settings)
