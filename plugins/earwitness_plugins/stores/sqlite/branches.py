"""Branches: a container's content under another name, copied inside the file. Texts and vectors are shared.

The index is copied as it stands. What the branch does not hold is marked as deleted in it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import apsw

from . import writes
from .containers import find_container, rid, select

_COPY = (
    (
        "INSERT INTO store_memory (rid, id, slot, text) SELECT rid - :from + :to, id, slot, text FROM store_memory"
        " WHERE rid BETWEEN :from AND :last AND id NOT IN (SELECT value FROM json_each(:without))"
    ),
    (
        "INSERT INTO store_gone SELECT :new, 1, slot FROM store_gone WHERE container = :old AND slot <= :reach"
        " UNION SELECT :new, 1, slot FROM store_memory WHERE rid BETWEEN :from AND :last AND slot <= :reach"
        " AND id IN (SELECT value FROM json_each(:without))"
    ),
    (
        "INSERT INTO store_tail (rid, position, words) SELECT rid - :from + :to, position, words FROM store_tail"
        " WHERE rid BETWEEN :from AND :from + :newest AND rid - :from + :to NOT IN"
        " (SELECT :to + slot FROM store_gone WHERE container = :new)"
    ),
    (
        "INSERT INTO store_segment (rid, slots, positions, lengths, ids, vectors)"
        " SELECT rid - :from + :to, slots, positions, lengths, ids, vectors FROM store_segment"
        " WHERE rid BETWEEN :from AND :from + :newest"
    ),
    (
        "INSERT INTO store_field (container, field, segment, data) SELECT :new, field, segment, data FROM store_field"
        " WHERE container = :old AND segment <= :newest"
    ),
    (
        "INSERT INTO store_posting (container, term, segment, data) SELECT :new, term, segment, data FROM store_posting"
        " WHERE container = :old AND segment <= :newest"
    ),
    (
        "UPDATE store_vectors SET uses = uses + 1 WHERE number IN (SELECT vectors FROM store_segment"
        " WHERE rid BETWEEN :to AND :end)"
    ),
    (
        "UPDATE store_text SET uses = uses + its.count FROM (SELECT text, count(*) AS count FROM store_memory"
        " WHERE rid BETWEEN :to AND :end GROUP BY text) AS its WHERE number = its.text"
    ),
    (
        "UPDATE store_words SET uses = uses + its.count FROM (SELECT words, count(*) AS count FROM store_tail"
        " WHERE rid BETWEEN :to AND :end GROUP BY words) AS its WHERE number = its.words"
    ),
    (
        "UPDATE store_container SET version = 1, slots = (SELECT slots FROM store_container WHERE number = :old),"
        " folded = (SELECT folded FROM store_container WHERE number = :old),"
        " tail = (SELECT count(*) FROM store_tail WHERE rid BETWEEN :to AND :end),"
        " live = (SELECT count(*) FROM store_memory WHERE rid BETWEEN :to AND :end),"
        " dead = (SELECT count(*) FROM store_gone WHERE container = :new) WHERE number = :new"
    ),
)
_NEWEST = (
    "SELECT coalesce(max(slot), 0) FROM store_memory"
    " WHERE rid BETWEEN :from AND :last AND id NOT IN (SELECT value FROM json_each(:without))"
)
"""The newest slot that the branch holds. Segments that begin after it are not copied, …"""
_REACH = (
    "SELECT coalesce(min(rid) - :from - 1, (SELECT slots FROM store_container WHERE number = :old))"
    " FROM store_segment WHERE rid > :from + :newest AND rid <= :last"
)
"""… but the last one that is copied reaches so far."""


def branch(connection: apsw.Connection, name: str, new_name: str, without: Sequence[str]) -> None:
    """Make a container that holds what another holds, without some memories."""
    writes.drop(connection, new_name)
    old = find_container(connection, name)
    if old is None:
        return
    new = writes.created(connection, new_name)
    bindings: dict[str, int | str] = {
        "old": old.number,
        "new": new.number,
        "from": old.range[0],
        "last": old.range[1],
        "to": rid(new.number, 0),
        "end": new.range[1],
        "without": json.dumps(list(without)),
    }
    bindings["newest"] = newest = int(connection.execute(_NEWEST, bindings).get)
    bindings["reach"] = int(connection.execute(_REACH, bindings).get)
    _share_vectors(connection, old.range[0], old.range[0] + newest)
    for statement in _COPY:
        connection.execute(statement, bindings)


def _share_vectors(connection: apsw.Connection, first: int, last: int) -> None:
    """Keep the vectors of these segments where several can name them."""
    own = "SELECT rid FROM store_segment WHERE rid BETWEEN ? AND ? AND typeof(vectors) <> 'integer'"
    for (segment,) in select(connection, own, (first, last)):
        connection.execute(
            "INSERT INTO store_vectors (data, uses) SELECT vectors, 1 FROM store_segment WHERE rid = ?", (segment,)
        )
        number = connection.last_insert_rowid()
        connection.execute("UPDATE store_segment SET vectors = ? WHERE rid = ?", (number, segment))
