"""Comments in a database, which its tools show to whoever asks what something is."""

from __future__ import annotations

from collections.abc import Mapping


def comments(things: Mapping[str, str], columns: Mapping[str, Mapping[str, str]]) -> str:
    """The statements that write them: `TABLE earwitness.memory` → text, and table → column → text."""
    told = (as_comment(thing, text) for thing, text in things.items())
    of_columns = (
        as_comment(f"COLUMN earwitness.{table}.{column}", text)
        for table, texts in columns.items()
        for column, text in texts.items()
    )
    return "".join((*told, *of_columns))


def as_comment(what: str, text: str) -> str:
    """The statement that writes one."""
    quoted = text.replace("'", "''")
    return f"COMMENT ON {what} IS '{quoted}';\n"
