"""The guard `discretion`: with `[discretion] by = "model"`, a model says what is better kept to oneself in a recall."""

from __future__ import annotations

from collections.abc import Sequence

from earwitness.checks import CheckAnswer, CheckEvent
from earwitness.errors import EarwitnessError
from earwitness.events import PlanEvent, ReadAnswer, ReadEvent, Strike
from earwitness.loading.resources import Resources
from earwitness.loading.settings import Settings
from earwitness.loading.strategies import Strategies

from ..discretion.settings import DiscretionSettings
from ..discretion.verdicts import DiscretionProposal, asked_about, believed, material
from ..models.accounts import Account
from ..models.client import ModelClient
from ..models.prompts import fenced
from ..models.rules_floor import SHARE_OF_LIMIT
from ..models.scene import noted


class DiscretionGuard:
    """Leaves out of a recall what a model says to keep, and marks what it says to use silently.

    It filters no read and strikes nothing. Where the model gives no answer that can be used, the recall stays as the
    other guards have left it, and `turn.failures` says why.
    """

    def __init__(self, *, settings: Settings, resources: Resources, strategies: Strategies) -> None:
        """Reads the table `[discretion]`. Raises `SettingsError` if it asks a model and there is no table `[model]`."""
        self._settings = settings.table(DiscretionSettings)
        self._longest = SHARE_OF_LIMIT * settings.end.plugin_timeout
        asks = self._settings.by == "model"
        self._client = ModelClient.shared(settings, resources, strategies) if asks else None

    async def open(self) -> None:
        """Raises `SettingsError` without the client or a key."""
        if self._client is not None:
            await self._client.open()

    async def close(self) -> None:
        """Let go of the connections."""
        if self._client is not None:
            await self._client.close()

    def filter(self, event: ReadEvent) -> ReadAnswer:
        """Everything: what may be read is for the other guards to say."""
        return ReadAnswer()

    def strike(self, event: PlanEvent) -> Sequence[Strike]:
        """Nothing."""
        return ()

    async def check(self, event: CheckEvent) -> CheckAnswer | None:
        """What to leave out and to mark, by the model."""
        if self._client is None or not (asked := asked_about(event.memories, self._settings.most)):
            return None
        account = self._client.account(event.session, "guard:discretion", data=event.data)
        try:
            prompt = self._client.prompt("discretion")
            answer = await self._client.structured(
                account,
                prompt.messages(material=fenced(material(event, asked))),
                DiscretionProposal,
                prompt=prompt,
                limit=min(self._settings.timeout or event.limit, self._longest),
                model=self._settings.model,
            )
        except EarwitnessError as failure:
            return _unchecked(failure, account)
        found = believed(event, asked, answer.memories, account.notes)
        told = {"version": prompt.label, "usage": account.usage, "notes": noted(account.notes)}
        return found.model_copy(update=told)


def _unchecked(failure: EarwitnessError, account: Account) -> CheckAnswer:
    """No change: the marks and notes of the guards are what there is."""
    why = f"no model judged what may be said here, so the guards' marks alone count: {failure}"
    return CheckAnswer(failures=(why,), usage=account.usage, notes=noted(account.notes))
