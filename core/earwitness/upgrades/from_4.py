"""Upgrade from version 4: the host's word got two parts, and `channels` became a key of the state."""

from __future__ import annotations

from .upgrade import Json, Upgrade, renamed

_OWN = "host_channels"
"""The name of a host's own state key that was called `channels`."""


def _body(body: Json) -> Json:
    return _with_audience(body) if body.get("kind") in ("said", "revised") else _with_state(body, "changes")


def _message(decided: Json) -> Json:
    return {**decided, "message": _with_audience(decided["message"])}


def _with_audience(record: Json) -> Json:
    """What a message or revision called `present` were those who perceived all of it."""
    return record if record.get("present") is None else renamed(record, present="audience")


def _plan(plan: Json) -> Json:
    return _with_state(plan, "state")


def _with_state(record: Json, name: str) -> Json:
    """The record with another name for the host's own `channels` in its state."""
    return {**record, name: renamed(record[name], channels=_OWN)} if "channels" in record.get(name, {}) else record


FROM_4: Upgrade = {"body": _body, "message": _message, "plan": _plan, "snapshot": _plan}
"""To version 5."""
