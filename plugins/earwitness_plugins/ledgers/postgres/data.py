"""What plugins keep for a session."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from earwitness.copies.json_text import value_as_json

from ...postgres import Connection

OWNERS = "SELECT DISTINCT plugin FROM earwitness.plugin_data WHERE session = %s"
READ = "SELECT key, value FROM earwitness.plugin_data WHERE session = %s AND plugin = %s ORDER BY key"
_KEEP = (
    "INSERT INTO earwitness.plugin_data (session, plugin, key, value) VALUES (%s, %s, %s, %s)"
    " ON CONFLICT (session, plugin, key) DO UPDATE SET value = excluded.value"
)
_REMOVE = "DELETE FROM earwitness.plugin_data WHERE session = %s AND plugin = %s AND key = %s"
DataText = tuple[str, str, str | None]
"""Plugin, key, and the value as JSON; `None` removes it."""


def as_texts(plugin: str, values: Mapping[str, JsonValue]) -> list[DataText]:
    """The values as JSON. Raises `InputError` for what JSON cannot hold."""
    return [
        (plugin, key, None if value is None else value_as_json(value, f"what plugin {plugin!r} keeps under {key!r}"))
        for key, value in values.items()
    ]


async def write(connection: Connection, session: str, texts: list[DataText]) -> None:
    """Keep, replace, or remove."""
    for plugin, key, text in texts:
        if text is None:
            await connection.execute(_REMOVE, (session, plugin, key))
        else:
            await connection.execute(_KEEP, (session, plugin, key, text))
