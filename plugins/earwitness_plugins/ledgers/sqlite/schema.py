"""The ledger's tables, as the migrations that made them. Add them at the end; never change one that was released."""

from __future__ import annotations

from earwitness.upgrades.from_3 import FROM_3
from earwitness.upgrades.from_4 import FROM_4

from ...sqlite.migrations import Migration
from .facts_migration import facts_apart
from .json_migration import json_migration
from .sharing_migration import shared_parts

COMPONENT = "ledger"

_FIRST = """
-- A session is a small number inside the file; began = sequence number before its first own entry (a fork's start).
CREATE TABLE ledger_sessions (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    began INTEGER NOT NULL,
    settled INTEGER NOT NULL,
    snapshot TEXT NOT NULL
);

-- The name is the wall: it has one owner in the whole file.
CREATE TABLE ledger_containers (
    position INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    session TEXT NOT NULL,
    owner TEXT NOT NULL
);
CREATE INDEX ledger_containers_session ON ledger_containers (session, position);

-- place = session number << 32 | sequence: a session's journal is one contiguous range.
CREATE TABLE ledger_entries (
    place INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    key TEXT NOT NULL,
    settled INTEGER NOT NULL DEFAULT 0,
    timestamp TEXT NOT NULL,
    body TEXT NOT NULL
);
CREATE UNIQUE INDEX ledger_entries_key ON ledger_entries (session, key);
CREATE INDEX ledger_entries_unsettled ON ledger_entries (settled) WHERE settled = 0;

-- A plan without its deliveries: those stand below, once.
CREATE TABLE ledger_plans (
    place INTEGER PRIMARY KEY,
    plan TEXT NOT NULL
);

-- The words of deliveries, as JSON: a plan gives most of its listeners the same ones.
CREATE TABLE ledger_bodies (
    number INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    body TEXT NOT NULL
);
CREATE INDEX ledger_bodies_plan ON ledger_bodies (session, sequence);

-- A delivery as recorded, without its body; beside it what changes (status, reason) and what is asked by.
-- Few indexes are kept in full: each costs a changed page for every listener of every message.
CREATE TABLE ledger_deliveries (
    number INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    position INTEGER NOT NULL,
    id TEXT NOT NULL,
    memory_id TEXT NOT NULL,
    container TEXT NOT NULL,
    owner TEXT NOT NULL,
    source TEXT NOT NULL,
    via TEXT,
    type TEXT,
    due REAL NOT NULL,
    status TEXT NOT NULL,
    reason TEXT,
    body INTEGER NOT NULL,
    delivery TEXT NOT NULL
);
CREATE INDEX ledger_deliveries_plan ON ledger_deliveries (session, sequence, position, container);
CREATE INDEX ledger_deliveries_memory ON ledger_deliveries (session, memory_id);
CREATE INDEX ledger_deliveries_source ON ledger_deliveries (session, source);
CREATE INDEX ledger_deliveries_via ON ledger_deliveries (session, via) WHERE via IS NOT NULL;
CREATE INDEX ledger_deliveries_type ON ledger_deliveries (session, container, type, sequence) WHERE type <> 'message';
CREATE INDEX ledger_deliveries_pending ON ledger_deliveries (session, due, sequence, position, container)
    WHERE status = 'pending';
CREATE INDEX ledger_deliveries_pending_id ON ledger_deliveries (session, id) WHERE status = 'pending';

-- What a plan delivers that an earlier one (or its own earlier line) delivers already: kept to show the plan whole.
CREATE TABLE ledger_repeats (
    session INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    position INTEGER NOT NULL,
    owner TEXT NOT NULL,
    body INTEGER NOT NULL,
    delivery TEXT NOT NULL,
    PRIMARY KEY (session, sequence, position)
);

-- Which deliveries' knowledge rests on which memory.
CREATE TABLE ledger_citations (
    session INTEGER NOT NULL,
    cited TEXT NOT NULL,
    delivery INTEGER NOT NULL,
    PRIMARY KEY (session, cited, delivery)
) WITHOUT ROWID;

CREATE TABLE ledger_messages (
    number INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    key TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    message TEXT NOT NULL
);
CREATE UNIQUE INDEX ledger_messages_key ON ledger_messages (session, key);
CREATE INDEX ledger_messages_sequence ON ledger_messages (session, sequence);

CREATE TABLE ledger_data (
    number INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    plugin TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL
);
CREATE UNIQUE INDEX ledger_data_key ON ledger_data (session, plugin, key);
"""

_GROUNDS = """
-- Which deliveries rest on which memory; those of derived memories have an empty ground besides, to be found by.
CREATE TABLE ledger_grounds (
    session INTEGER NOT NULL,
    ground TEXT NOT NULL,
    delivery INTEGER NOT NULL,
    PRIMARY KEY (session, ground, delivery)
) WITHOUT ROWID;
"""

_CONTAINERS_BEYOND_SESSIONS = """
-- Every container has a kind, and one that belongs to no session has session = ''.
ALTER TABLE ledger_containers ADD COLUMN kind TEXT NOT NULL DEFAULT 'character';
UPDATE ledger_containers SET kind = 'world' WHERE owner = 'world';

-- Who may read a container that is not their own. A member may come and go: each time is a row.
CREATE TABLE ledger_memberships (
    number INTEGER PRIMARY KEY,
    container TEXT NOT NULL,
    member TEXT NOT NULL,
    since REAL,
    until REAL
);
CREATE INDEX ledger_memberships_container ON ledger_memberships (container, member);
CREATE INDEX ledger_memberships_member ON ledger_memberships (member, container);
"""

_LAYERS = """
-- What a session reads of a layer, that is, of the rows with some session's number: those with sequence numbers after
-- one and up to another; `name` is that session's id. Sessions that read others' rows have themselves among them. A
-- layer with a number below 0 never was a session's.
CREATE TABLE ledger_layers (
    session INTEGER NOT NULL,
    layer INTEGER NOT NULL,
    "after" INTEGER NOT NULL,
    up_to INTEGER NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (session, layer)
) WITHOUT ROWID;
CREATE INDEX ledger_layers_layer ON ledger_layers (layer);

-- Deliveries that a session sees otherwise than their row says; with the status 'gone' it does not see them.
CREATE TABLE ledger_differences (
    delivery INTEGER NOT NULL,
    session INTEGER NOT NULL,
    status TEXT NOT NULL,
    reason TEXT,
    PRIMARY KEY (delivery, session)
) WITHOUT ROWID;
CREATE INDEX ledger_differences_session ON ledger_differences (session, status);
CREATE TRIGGER ledger_deliveries_deleted AFTER DELETE ON ledger_deliveries BEGIN
    DELETE FROM ledger_differences WHERE delivery = OLD.number;
END;

-- Bits: 1 = it reads rows of other layers, 2 = others may read its rows.
ALTER TABLE ledger_sessions ADD COLUMN layered INTEGER NOT NULL DEFAULT 0;
"""

_CLAIMS = """
-- Which process does a job of a session just now, such as drawing facts, until which second since 1970.
CREATE TABLE ledger_claims (
    session TEXT NOT NULL,
    job TEXT NOT NULL,
    holder TEXT NOT NULL,
    until REAL NOT NULL,
    PRIMARY KEY (session, job)
) WITHOUT ROWID;
"""

_CROWDS = """
-- Copies of one message that differ in their owners only, of which so many (packed) are no rows of ledger_deliveries
-- yet. The other columns are those of the rows.
CREATE TABLE ledger_crowds (
    number INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    packed INTEGER NOT NULL,
    source TEXT NOT NULL,
    via TEXT,
    type TEXT,
    due REAL NOT NULL,
    status TEXT NOT NULL,
    reason TEXT,
    body INTEGER NOT NULL,
    fields NOT NULL,
    lists INTEGER
);
CREATE INDEX ledger_crowds_session ON ledger_crowds (session);

-- As JSON: the position of the first, how they got there, and each one's memory, container and owner.
CREATE TABLE ledger_crowd_members (
    crowd INTEGER PRIMARY KEY,
    members TEXT NOT NULL
);
CREATE TRIGGER ledger_crowds_deleted AFTER DELETE ON ledger_crowds BEGIN
    DELETE FROM ledger_crowd_members WHERE crowd = OLD.number;
END;
"""

MIGRATIONS: tuple[Migration, ...] = (
    _FIRST,
    json_migration(FROM_3),
    shared_parts,
    _GROUNDS,
    _CONTAINERS_BEYOND_SESSIONS,
    json_migration(FROM_4),
    _LAYERS,
    facts_apart,
    _CLAIMS,
    _CROWDS,
)
