"""The plugin `language_model`: with `end.unsure = "ask"`, a model decides about those the detector is unsure of."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from earwitness.events import MessageAnswer, MessageEvent
from earwitness.hooks import Plugin
from earwitness.loading.resources import Resources
from earwitness.loading.settings import Settings
from earwitness.loading.strategies import Strategies

from ..models.protocol import ClientsMade

if TYPE_CHECKING:
    from ..detectors.language_model import LanguageModelDetector


class AskModel(Plugin):
    """Adds those unsure listeners whom the model takes to perceive the message. Nobody else is ever asked about."""

    table: ClassVar[str] = "model"
    """It is loaded only where the settings have this table."""

    def __init__(self, settings: Settings, resources: Resources) -> None:
        """It does nothing unless `end.unsure` is `ask`."""
        self._threshold, self._resources = settings.end.threshold, resources
        self._detector: LanguageModelDetector | None = None
        if settings.end.unsure.policy == "ask":
            from ..detectors.language_model import LanguageModelDetector  # only those who ask wait for its import

            strategies = Strategies()
            self._detector = LanguageModelDetector(settings=settings, resources=resources, strategies=strategies)

    async def open(self) -> None:
        """Raises as the model's `open`."""
        if self._detector is not None:
            await self._detector.open()

    async def close(self) -> None:
        """Close the model, whoever has asked it: applications open it when they need it."""
        for each in self._resources.get(ClientsMade, "model", ClientsMade):
            await each.close()

    async def on_message(self, event: MessageEvent) -> MessageAnswer | None:
        """Those of the unsure who perceive it, by the model."""
        if self._detector is None or not event.unsure:
            return None
        found = await self._detector.detect(event.moment.model_copy(update={"data": event.data}))
        believed = {id: found.characters[id] for id in event.unsure if id in found.characters}
        add = {id: who.evidence[0] for id, who in believed.items() if who.probability >= self._threshold}
        return MessageAnswer(add=add, version=found.version, usage=found.usage, notes=found.notes)
