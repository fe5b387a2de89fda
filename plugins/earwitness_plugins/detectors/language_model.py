"""The detector `language_model`: asks a model who perceives a message, within what the rules allow."""

from __future__ import annotations

import asyncio

from earwitness.end.proposals import without_host_word
from earwitness.errors import EarwitnessError
from earwitness.loading.end_settings import EndSettings
from earwitness.loading.quantities import Positive
from earwitness.loading.resources import Resources
from earwitness.loading.settings import Settings
from earwitness.loading.strategies import Strategies
from earwitness.records.moment import Moment, Presence

from ..models.accounts import Account
from ..models.client import ModelClient
from ..models.prompts import fenced
from ..models.rules_floor import answered_by_rules, model_limit
from ..models.scene import noted, scene
from .model_presence import PresenceProposal, believed_presence
from .rules import RulesDetector
from .text import THREAD_FROM
from .text.first_messages import on_thread


class LanguageModelDetector:
    """Probabilities of a language model, bounded by the rules: see `model_presence`.

    Where the model gives no answer that can be used, the rules' answer stands; `notes` say why.

    Args:
        model: another model than that of `[model]`.
        timeout: seconds for all calls of a message together; `None` = four fifths of `end.detector_timeout`.
    """

    def __init__(
        self,
        *,
        model: str | None = None,
        timeout: Positive | None = None,
        end: EndSettings | None = None,
        settings: Settings,
        resources: Resources,
        strategies: Strategies,
    ) -> None:
        """Raises `SettingsError` without the table `[model]`."""
        self.model = model
        self._limit = model_limit(timeout, (end or settings.end).detector_timeout)
        self._client = ModelClient.shared(settings, resources, strategies)
        self._rules = RulesDetector()

    async def open(self) -> None:
        """Raises `SettingsError` without the client or a key."""
        await self._client.open()

    async def close(self) -> None:
        """Let go of the connections."""
        await self._client.close()

    def warm_up(self) -> None:
        """What it reads with is loaded before the first message."""
        self._rules.warm_up()

    async def detect(self, moment: Moment) -> Presence:
        """Who perceives the message, by the model; by the rules where it cannot say."""
        threaded = len(moment.message.content) >= THREAD_FROM or on_thread(moment)
        ruled = await asyncio.to_thread(self._rules.detect, moment) if threaded else self._rules.detect(moment)
        by = f"detector:language_model {id(self)}"
        account = self._client.account(moment.session, by, turn=moment.message.key, data=moment.data)
        try:
            return await self._asked(moment, ruled, account)
        except EarwitnessError as failure:
            return answered_by_rules(ruled, failure, account)

    async def _asked(self, moment: Moment, ruled: Presence, account: Account) -> Presence:
        prompt = self._client.prompt("presence")
        messages = prompt.messages(material=fenced(scene(moment)))
        answer = await self._client.structured(
            account, messages, PresenceProposal, prompt=prompt, limit=self._limit, model=self.model
        )
        found = believed_presence(without_host_word(moment), ruled, answer.participants, account.notes)
        notes = account.notes if found else ["answered by rules", *account.notes]
        update = {"version": prompt.label, "usage": account.usage, "notes": noted(notes)}
        return (found or ruled).model_copy(update=update)
