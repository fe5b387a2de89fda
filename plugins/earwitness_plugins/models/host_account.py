"""What a host, or a command, may ask of a model in a story, by what the ledger says was spent."""

from __future__ import annotations

from pydantic import JsonValue

from earwitness import Session
from earwitness.errors import StorageError

from .accounts import SPENT, Account
from .client import ModelClient


async def host_account(client: ModelClient, story: Session, by: str, *, turn: str = "") -> Account:
    """An account for what `by` asks in a story. What was noted for it before counts, here and in other processes:
    see `Backstage.note_usage`, which is to be told what was spent. While the ledger is away, what is known counts."""
    try:
        noted = await story.backstage(role="owner").noted_usage(by)
    except StorageError:
        return client.account(story.id, by, turn=turn)
    tokens = noted.tokens_in + noted.tokens_out
    data: dict[str, JsonValue] = {SPENT: {"calls": noted.calls, "tokens": tokens, "cost": noted.cost}}
    return client.account(story.id, by, turn=turn, data=data)
