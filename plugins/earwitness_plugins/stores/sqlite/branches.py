"""Branches: a container that reads what another one holds, and keeps only what differs (`layers`).

Segments and their memories are shared; the rows of the tail are copied. What the branch does not hold is marked as
gone.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import apsw

from . import layers, writes
from .containers import ContainerRow, find_container, rid, sequence
from .layers import VISIBLE

_SEEN = (
    "store_layer AS l CROSS JOIN store_memory AS m ON m.rid BETWEEN l.layer << 32 AND (l.layer << 32 | 4294967295)"
    f" WHERE {VISIBLE.format(container=':old')}"
)
_OWN = "store_memory AS m WHERE m.rid BETWEEN :from AND :last"
"""What the parent sees: with layers, and without."""
_WITHOUT = "m.id IN (SELECT value FROM json_each(:without))"
_COPY = (
    (
        "INSERT INTO store_gone SELECT :new, 1, slot FROM store_gone WHERE container = :old AND slot <= :reach"  # noqa: S608
        f" UNION SELECT :new, 1, m.slot FROM {{seen}} AND m.slot <= :reach AND {_WITHOUT}"
    ),
    (
        "INSERT INTO store_tail (rid, position, words) SELECT rid - :from + :to, position, words FROM store_tail"
        " WHERE rid BETWEEN :from AND :from + :newest AND rid - :from + :to NOT IN"
        " (SELECT :to + slot FROM store_gone WHERE container = :new)"
    ),
    (
        "INSERT INTO store_memory (rid, id, slot, text) SELECT m.rid - :from + :to, m.id, m.slot, m.text"
        " FROM store_tail AS tail CROSS JOIN store_memory AS m ON m.rid = :from + tail.position"
        " WHERE tail.rid BETWEEN :to AND :end"
    ),
    (
        "INSERT INTO store_memory (rid, id, slot, text) SELECT m.rid - :from + :to, m.id, m.slot, m.text"
        " FROM store_memory AS m WHERE m.rid BETWEEN :from AND :last AND m.slot <= :begins AND m.slot <= :newest"
        " AND m.slot NOT IN (SELECT slot FROM store_gone WHERE container = :new)"
    ),
    "INSERT INTO store_place SELECT :new, id, position FROM store_place WHERE container = :old",
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
        " tail = (SELECT count(*) FROM store_tail WHERE rid BETWEEN :to AND :end), live = :live,"
        " dead = (SELECT count(*) FROM store_gone WHERE container = :new) WHERE number = :new"
    ),
)


def branch(connection: apsw.Connection, name: str, new_name: str, without: Sequence[str]) -> None:
    """Make a container that holds what another holds, without some memories."""
    writes.drop(connection, new_name)
    old = find_container(connection, name)
    if old is None:
        return
    new = writes.created(connection, new_name)
    seen = _SEEN if old.reads else _OWN
    bindings: dict[str, int | str] = {
        "old": old.number,
        "new": new.number,
        "from": old.range[0],
        "last": old.range[1],
        "to": rid(new.number, 0),
        "end": new.range[1],
        "without": json.dumps(list(without)),
    }
    kept = f"SELECT coalesce(max(m.slot), 0), count(*) FROM {seen} AND NOT {_WITHOUT}"  # noqa: S608 - our own words
    newest, live = connection.execute(kept, bindings).fetchall()[0]
    bindings |= {"newest": int(str(newest)), "live": int(str(live)), "reach": _reach(connection, old, int(str(newest)))}
    bindings["begins"] = layers.begins(connection, old)
    for statement in _COPY:
        connection.execute(statement.format(seen=seen), bindings)
    layers.share(connection, old, new.number, min(int(str(newest)), old.folded))


def _reach(connection: apsw.Connection, old: ContainerRow, newest: int) -> int:
    """The segments that begin up to the newest slot that the branch holds reach so far."""
    later = layers.segment_keys(connection, old, newest)
    return sequence(later[0]) - 1 if later else old.slots
