"""The eighth migration: the facts of a session's state stand apart from its snapshot (`facts`)."""

from __future__ import annotations

import json

import apsw

from . import facts

_TABLE = """
-- Facts of a session's state, by the key of the entry that notes them, in their order. Branches have rows of their own.
CREATE TABLE ledger_facts (
    number INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    key TEXT NOT NULL,
    facts TEXT NOT NULL
);
CREATE UNIQUE INDEX ledger_facts_key ON ledger_facts (session, key);

-- Another one whenever its facts are others; '' if it never had any.
ALTER TABLE ledger_sessions ADD COLUMN facts TEXT NOT NULL DEFAULT '';
"""
_MAY_HAVE_FACTS = """SELECT number FROM ledger_sessions WHERE instr(snapshot, '"facts":{"')"""


def facts_apart(connection: apsw.Connection) -> bool:
    """Move the facts out of all snapshots. Answers whether there were any."""
    connection.execute(_TABLE)
    numbers = connection.execute(_MAY_HAVE_FACTS).fetchall()
    for (number,) in numbers:
        stored = connection.execute("SELECT snapshot FROM ledger_sessions WHERE number = ?", (number,)).get
        snapshot = json.loads(str(stored))
        facts.put(connection, int(str(number)), snapshot["state"].pop("facts", {}))
        text = json.dumps(snapshot, ensure_ascii=False, separators=(",", ":"))
        connection.execute("UPDATE ledger_sessions SET snapshot = ? WHERE number = ?", (text, number))
    return bool(numbers)
