"""What plugins keep for a session."""

from __future__ import annotations

import json
from collections.abc import Mapping

import apsw
from pydantic import JsonValue

from earwitness.copies.json_text import value_as_json


def read(connection: apsw.Connection, session: int, plugin: str) -> dict[str, JsonValue]:
    """Everything one plugin keeps, by key."""
    rows = connection.execute(
        "SELECT key, value FROM ledger_data WHERE session = ? AND plugin = ? ORDER BY key", (session, plugin)
    )
    return {key: json.loads(value) for key, value in rows}


def owners(connection: apsw.Connection, session: int) -> list[str]:
    """Names of the plugins that keep something."""
    rows = connection.execute("SELECT DISTINCT plugin FROM ledger_data WHERE session = ? ORDER BY plugin", (session,))
    return [str(plugin) for (plugin,) in rows]


def write(connection: apsw.Connection, session: int, plugin: str, values: Mapping[str, JsonValue]) -> None:
    """Keep, replace, or remove (`None`)."""
    for key, value in values.items():
        if value is None:
            connection.execute(
                "DELETE FROM ledger_data WHERE session = ? AND plugin = ? AND key = ?", (session, plugin, key)
            )
        else:
            connection.execute(
                "INSERT INTO ledger_data (session, plugin, key, value) VALUES (?, ?, ?, ?)"
                " ON CONFLICT (session, plugin, key) DO UPDATE SET value = excluded.value",
                (session, plugin, key, value_as_json(value, f"what plugin {plugin!r} keeps under {key!r}")),
            )
