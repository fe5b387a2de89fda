"""Whether the model of the settings answers: it is asked once, for a word, as `earwitness doctor` does."""

from __future__ import annotations

from earwitness import Settings
from earwitness.errors import EarwitnessError
from earwitness.loading.resources import Resources
from earwitness.loading.strategies import LoadFailure, Strategies
from earwitness.redaction import without
from earwitness.time_limit import contained, reason

from .client import ModelClient
from .records import ChatMessage
from .settings import model_settings

LIMIT = 20.0
FEW = 16
"""Tokens of the answer."""
QUESTION = ChatMessage(role="user", content="Answer with OK.")


async def model_failure(settings: Settings, limit: float = LIMIT) -> LoadFailure | None:
    """Why the model of `[model]` does not answer within `limit` seconds; `None` if it does. It is asked once, without
    retries, and nothing is recorded; where only a cassette is replayed, it is not asked. Raises `SettingsError`."""
    table = model_settings(settings)
    few = None if table.max_tokens is None else min(table.max_tokens, FEW)
    once = table.model_copy(update={"retries": 0, "cassette": None, "max_tokens": few})
    try:
        client = ModelClient.of(table if table.replays_only else once, settings, Resources(), Strategies())
        try:
            if not table.replays_only:
                await client.chat(client.account("", "doctor"), [QUESTION], limit=limit)
        finally:
            await client.close()
    except EarwitnessError as error:
        failure = str(error).rstrip(".")
    except BaseException as error:  # noqa: BLE001 - whatever a model of somebody else's raises
        failure = reason(contained(error))
    else:
        return None
    return LoadFailure(group="earwitness.model", name=table.name, failure=without(failure, settings.table_secrets))
