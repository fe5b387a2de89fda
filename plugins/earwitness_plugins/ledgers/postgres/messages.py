"""Messages as last settled."""

from __future__ import annotations

from collections.abc import Sequence

PUT = (
    "INSERT INTO earwitness.message (session, key, sequence, message) VALUES (%s, %s, %s, %s)"
    " ON CONFLICT (session, key) DO UPDATE SET sequence = excluded.sequence, message = excluded.message"
)


def messages_query(
    session: str, before: int | None, keys: Sequence[str] | None, limit: int | None
) -> tuple[str, list[object]]:
    """The statement, and its parameters, for messages, newest first."""
    statement = "SELECT message::text FROM earwitness.message WHERE session = %s"
    parameters: list[object] = [session]
    if before is not None:
        statement, parameters = f"{statement} AND sequence < %s", [*parameters, before]
    if keys is not None:
        statement, parameters = f"{statement} AND key = ANY(%s)", [*parameters, list(keys)]
    return f"{statement} ORDER BY sequence DESC LIMIT %s", [*parameters, limit]
