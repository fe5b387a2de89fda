"""The detector `hybrid`: one detector decides where it is sure, another is asked where it is not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import isawaitable
from typing import ClassVar

from earwitness.calls import call
from earwitness.loading.end_settings import EndSettings
from earwitness.loading.resources import Resources
from earwitness.loading.settings import Settings
from earwitness.loading.strategies import Strategies
from earwitness.protocols import Detector
from earwitness.records.moment import Moment, Perceived, Presence

from ..models.certainty import SURE, Certainty, Hybrid, Openable
from .language_model import LanguageModelDetector
from .rules import RulesDetector


class HybridDetector(Hybrid[Detector]):
    """Asks the second detector only about messages of which the first is unsure, and about whom it is unsure of.

    Args:
        detectors: the two of them; `None` = `rules`, then `language_model`.
        threshold: the first is sure of a character whose probability is this or more, or one minus this or less.
    """

    fittable: ClassVar[Mapping[str, tuple[float, float]]] = {"threshold": (0.55, 0.99)}
    """Settings that `earwitness fit` may fit, and their ranges."""

    def __init__(
        self,
        *,
        detectors: Sequence[Detector] | None = None,
        threshold: Certainty = SURE,
        end: EndSettings | None = None,
        settings: Settings,
        resources: Resources,
        strategies: Strategies,
    ) -> None:
        """Raises `SettingsError` for other than two detectors; without any, also where there is no table `[model]`."""

        def made() -> tuple[Detector, Detector, Openable]:
            own = LanguageModelDetector(end=end, settings=settings, resources=resources, strategies=strategies)
            return RulesDetector(), own, own

        super().__init__(detectors, made, threshold, "detectors")

    def warm_up(self) -> None:
        """What either needs is loaded before the first message."""
        for each in (self._first, self._second):
            if callable(warm_up := getattr(each, "warm_up", None)):
                warm_up()

    async def detect(self, moment: Moment) -> Presence:
        """The first detector's presence, with the second's word on those whom the first is unsure of."""
        first = await _asked(self._first, moment)
        unsure = self.unsure_of(first, moment.message.speaker)
        if not unsure:
            return first.model_copy(update={"notes": (self.reason(unsure), *first.notes)})
        second = await _asked(self._second, moment)
        judged = {id: second.characters.get(id) or _absent(first.characters[id]) for id in unsure}
        update = {
            "characters": {**first.characters, **judged},
            "version": second.version or first.version,
            "usage": second.usage or first.usage,
            "notes": (self.reason(unsure), *first.notes, *second.notes),
        }
        return first.model_copy(update=update)


async def _asked(detector: Detector, moment: Moment) -> Presence:
    answer = call(detector, "detect", moment)
    presence: Presence = await answer if isawaitable(answer) else answer
    return presence


def _absent(before: Perceived) -> Perceived:
    return Perceived(probability=0, role=before.role, evidence=("named by the first detector alone",))
