"""Upgrade from version 3 (f1db6cd): fields got plainer names, and settings no longer record secrets."""

from __future__ import annotations

from ..redaction import redacted, secrets_in, without
from .upgrade import Json, Upgrade, renamed

_GAME_TIME = ("game_time", "gameTime", "GameTime")


def _entry(entry: Json) -> Json:
    return renamed(entry, settled="applied")


def _body(body: Json) -> Json:
    """Version 3 kept the host's spelling of the game day. Entries that are repeated now have `game_day`."""
    changes = body.get("changes")
    if isinstance(changes, dict) and "game_day" not in changes:
        body = {**body, "changes": renamed(changes, **dict.fromkeys(_GAME_TIME, "game_day"))}
    return _with_channel(body)


def _message(decided: Json) -> Json:
    return {**decided, "message": _with_channel(decided["message"])}


def _with_channel(record: Json) -> Json:
    """A message with a channel. Version 3 recorded only its context."""
    if "context" not in record:
        return record
    others = {key: value for key, value in record.items() if key != "context"}
    return {**others, "channel": {"context": record["context"]}}


def _plan(plan: Json) -> Json:
    withdrawals = [renamed(each, falls="removes") for each in plan.get("withdrawals", ())]
    answers = plan.get("answers", ())
    secrets = [secret for each in answers for secret in secrets_in(each.get("settings") or {})]
    kept = {"withdrawals": withdrawals, "answers": [_answer(each, secrets) for each in answers]}
    return renamed({**plan, **kept, "state": _state(plan.get("state", {}))}, told="news_seen")


def _answer(answer: Json, secrets: list[str]) -> Json:
    """Version 3 recorded settings including keys and passwords. Failures may quote them."""
    settings, failure = redacted(answer.get("settings") or {}), answer.get("failure")
    return {**answer, "settings": settings, "failure": without(failure, secrets) if failure else failure}


def _snapshot(snapshot: Json) -> Json:
    """A session; the `strategies` it had a place for were never filled in."""
    others = {key: value for key, value in snapshot.items() if key != "strategies"}
    return renamed({**others, "state": _state(snapshot.get("state", {}))}, told="news_seen", settled="decided")


def _state(state: Json) -> Json:
    """A state, or changes of one. `participants` were those who perceived the previous message; no one was excluded."""
    return renamed(state, participants="last_perceivers")


FROM_3: Upgrade = {"entry": _entry, "body": _body, "message": _message, "plan": _plan, "snapshot": _snapshot}
"""To version 4."""
