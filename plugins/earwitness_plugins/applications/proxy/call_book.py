"""What proxied calls cost: within the budgets of `[model]`, and among the costs of their story."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import anyio

from earwitness import Earwitness
from earwitness.errors import EarwitnessError
from earwitness.records.usage import ModelCall
from earwitness.session import Session
from earwitness_plugins.models.accounts import Account
from earwitness_plugins.models.client import ModelClient
from earwitness_plugins.models.host_account import host_account
from earwitness_plugins.models.records import counted, tokens_of

from .lines import text_of

ASKER = "host:proxy"
"""Who has asked, in the costs of a story."""
_log = logging.getLogger("earwitness.proxy")
CUT_OFF = "it was not answered to its end"
FAILED = "the server ended its answer with an error"


@dataclass(slots=True)
class ProxiedCall:
    """One call on its way. It counts as cut off until it is `ended`."""

    model: str
    """The model's name."""
    reserved: tuple[int, float]
    """Tokens and cost that it takes at least."""
    account: Account
    """What it is paid from."""
    failure: str = CUT_OFF
    """What went wrong; empty if nothing has."""
    tokens: tuple[int, int, int] = (0, 0, 0)
    """In the prompt, in the answer, and at hand."""
    started: float = field(default_factory=perf_counter)
    """When it began."""

    def ended(self, body: object, text: str) -> None:
        """It was answered: with the response, or the last piece that has its `usage`, and the text of the answer."""
        tokens_in, tokens_out, reused = counted(body)
        self.tokens = (tokens_in or self.reserved[0], tokens_out or tokens_of(len(text)), reused)
        self.failure = ""

    def failed(self, body: object, text: str) -> None:
        """The server has said of its answer that it is none: with that response, or piece, and so much text."""
        self.ended(body, text)
        self.failure = FAILED

    def answered_in_part(self, text: str) -> None:
        """It broke off after this text, unless it has ended."""
        if self.failure == CUT_OFF:
            self.tokens = (self.reserved[0], tokens_of(len(text)), 0)

    @property
    def call(self) -> ModelCall:
        """The call as it is reported."""
        tokens_in, tokens_out, reused = self.tokens
        return ModelCall(
            model=self.model,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            seconds=round(perf_counter() - self.started, 3),
            cost=self.account.settings.cost_of(self.model, tokens_in, tokens_out, reused),
            failure=self.failure or None,
        )


class CallBook:
    """Counts the calls of all stories."""

    def __init__(self, ew: Earwitness) -> None:
        """Raises `SettingsError` without `[model]`."""
        self._client = ModelClient.shared(ew.settings, ew.resources, ew.strategies)

    async def begin(self, story: Session, body: Mapping[str, Any]) -> ProxiedCall:
        """Count a call that is about to be made. Raises `BudgetSpent`."""
        model, account = str(body["model"]), await host_account(self._client, story, ASKER)
        tokens = tokens_of(sum(len(text_of(each.get("content"))) for each in body["messages"]))
        reserved = tokens, self._client.settings.cost_of(model, tokens, 0)
        account.reserve(*reserved)
        return ProxiedCall(model, reserved, account)

    async def settle(self, story: Session, call: ProxiedCall) -> None:
        """Report what a call has really cost, once. Costs that cannot be written are logged: the answer counts more."""
        if call.account.calls:
            return
        call.account.settle(call.call, call.reserved)
        usage = call.account.usage
        with anyio.CancelScope(shield=True):
            try:
                await story.backstage().note_usage(ASKER, usage) if usage else None
            except EarwitnessError as error:
                _log.warning("story %r: what a proxied call cost could not be written: %s", story.id, error)
