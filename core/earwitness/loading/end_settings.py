"""The settings of END: who counts as a participant, and how long strategies may take."""

from __future__ import annotations

import math
from typing import Literal, Self

from pydantic import Field, model_validator

from ..records.base import Record
from .quantities import Positive, Proportion

_CAUTION_EXPONENT = 2.41
"""So that a caution of 0.75, a leak as bad as three misses, gives a threshold of 0.5 (`threshold_of`)."""


def threshold_of(caution: float) -> float:
    """The probability from which a message is delivered, both from 0 to 1: 0.5 at a caution of 0.75.

    Probabilities that were exact would be compared with the caution itself (Elkan 2001, "The foundations of
    cost-sensitive learning"). Detectors are more often right than they say; the exponent is what fits them
    (docs/hosts.md, "end").
    """
    return round(math.pow(caution, _CAUTION_EXPONENT), 3)


class Unsure(Record):
    """END: what happens to characters whose probability is between `least` and `end.threshold`."""

    policy: Literal["withhold", "deliver", "ask"] = "withhold"
    """`withhold`: they do not remember the message. `deliver`: they do. `ask`: only those whom a plugin adds."""
    least: Proportion | None = None
    """Characters with a lower probability never remember the message, whatever the policy; `None` = as `end.caution`
    says, 0.25 by default."""

    @model_validator(mode="before")
    @classmethod
    def _policy_or_table(cls, given: object) -> object:
        return {"policy": given} if isinstance(given, str) else given


class EndSettings(Record):
    """END: who counts as a participant, and how long strategies may take."""

    caution: Proportion = 0.75
    """How much worse a leak is than a miss: the share of a leak in the cost of both. 0.5: a miss is as bad as a leak.
    0.75: a leak is three times as bad. It sets `threshold` and `unsure.least` where they are not given."""
    threshold: Proportion = Field(default_factory=lambda given: threshold_of(given.get("caution", 0.75)))
    """Characters who perceive a message with at least this probability remember it; 0.5 by default (see `caution`)."""
    unsure: Unsure = Unsure()
    """What happens to characters just below the threshold."""
    perception: Literal["segments", "whole"] = "segments"
    """`segments`: each participant receives the segments she could perceive. `whole`: only characters who could
    perceive all of a message receive it."""
    detector_timeout: Positive = 5.0
    """Seconds a detector may take. After that only the speaker remembers."""
    store_timeout: Positive = 10.0
    """Seconds one write to the store, or one read of backstage, may take. A write that takes longer is tried again."""
    plugin_timeout: Positive = 10.0
    """Seconds a World Agent, sharing rule, guard or plugin may take. After that its answer is left out."""

    @model_validator(mode="after")
    def _least_below_threshold(self) -> Self:
        least = self.unsure.least
        if least is not None and least > self.threshold:
            raise ValueError(
                f"unsure.least {least:g} is above threshold {self.threshold:g}, so nobody would be unsure: "
                f"make it {self.threshold:g} or less, or raise the threshold."
            )
        return self

    @property
    def least(self) -> float:
        """The lowest probability of somebody unsure: `unsure.least`, or half of the threshold that `caution` sets."""
        given = self.unsure.least
        return min(threshold_of(self.caution) / 2 if given is None else given, self.threshold)

    @property
    def enough(self) -> float:
        """The lowest probability of a participant, unless plugins are asked."""
        return self.least if self.unsure.policy == "deliver" else self.threshold

    def asks(self, probability: float) -> bool:
        """Whether plugins decide about a character with this probability."""
        return self.unsure.policy == "ask" and self.least <= probability < self.threshold
