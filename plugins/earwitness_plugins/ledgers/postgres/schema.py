"""The tables of the ledger in PostgreSQL, and their migrations, oldest first.

Every table and column has a comment, every constraint a name. JSON is kept as `json`, which gives back each number and
each key as it was written; `jsonb` does not.
"""

from __future__ import annotations

from ...postgres import PostgresMigration
from .comments import ledger_comments
from .views import VIEWS

COMPONENT = "ledger"

_TABLES = """
CREATE TABLE earwitness.session (
    id text COLLATE "C" CONSTRAINT session_pk PRIMARY KEY,
    last bigint NOT NULL CONSTRAINT session_last_check CHECK (last >= 0),
    decided bigint NOT NULL CONSTRAINT session_decided_check CHECK (decided >= 0),
    version bigint GENERATED ALWAYS AS IDENTITY,
    snapshot json NOT NULL
);

CREATE TABLE earwitness.container (
    name text COLLATE "C" CONSTRAINT container_pk PRIMARY KEY,
    kind text NOT NULL,
    owner text NOT NULL,
    session text COLLATE "C",
    position bigint GENERATED ALWAYS AS IDENTITY
);
CREATE INDEX container_session ON earwitness.container (session, position);

CREATE TABLE earwitness.membership (
    number bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT membership_pk PRIMARY KEY,
    container text COLLATE "C" NOT NULL CONSTRAINT membership_container_fk
        REFERENCES earwitness.container (name) ON DELETE CASCADE,
    member text COLLATE "C" NOT NULL,
    since double precision,
    until double precision,
    CONSTRAINT membership_key UNIQUE NULLS NOT DISTINCT (container, member, since)
);
CREATE INDEX membership_member ON earwitness.membership (member, container);

CREATE TABLE earwitness.entry (
    session text COLLATE "C" NOT NULL CONSTRAINT entry_session_fk
        REFERENCES earwitness.session (id) ON DELETE CASCADE,
    sequence bigint NOT NULL,
    key text COLLATE "C" NOT NULL,
    timestamp text NOT NULL,
    applied boolean NOT NULL DEFAULT false,
    body json NOT NULL,
    CONSTRAINT entry_pk PRIMARY KEY (session, sequence),
    CONSTRAINT entry_key UNIQUE (session, key)
);
CREATE INDEX entry_unapplied ON earwitness.entry (session, sequence) WHERE NOT applied;

CREATE TABLE earwitness.plan (
    session text COLLATE "C" NOT NULL CONSTRAINT plan_session_fk
        REFERENCES earwitness.session (id) ON DELETE CASCADE,
    sequence bigint NOT NULL,
    plan json NOT NULL,
    CONSTRAINT plan_pk PRIMARY KEY (session, sequence)
);

CREATE TABLE earwitness.plan_text (
    session text COLLATE "C" NOT NULL,
    sequence bigint NOT NULL,
    number integer NOT NULL,
    text json NOT NULL,
    CONSTRAINT plan_text_pk PRIMARY KEY (session, sequence, number),
    CONSTRAINT plan_text_plan_fk FOREIGN KEY (session, sequence) REFERENCES earwitness.plan ON DELETE CASCADE
);

CREATE TABLE earwitness.delivery (
    number bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT delivery_pk PRIMARY KEY,
    session text COLLATE "C" NOT NULL,
    sequence bigint NOT NULL,
    position integer NOT NULL,
    id text COLLATE "C" NOT NULL,
    memory_id text COLLATE "C" NOT NULL,
    container text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    source text COLLATE "C" NOT NULL,
    via text COLLATE "C",
    type text,
    due double precision NOT NULL,
    status text NOT NULL CONSTRAINT delivery_status_check
        CHECK (status IN ('pending', 'applied', 'struck', 'withdrawn', 'archived')),
    reason text,
    forgotten boolean NOT NULL DEFAULT false,
    derived boolean NOT NULL,
    rests_on text[] NOT NULL,
    cites text[] NOT NULL,
    body integer NOT NULL,
    metadata integer NOT NULL,
    fields json NOT NULL,
    CONSTRAINT delivery_place_key UNIQUE (session, sequence, position),
    CONSTRAINT delivery_plan_fk FOREIGN KEY (session, sequence) REFERENCES earwitness.plan ON DELETE CASCADE
);
CREATE UNIQUE INDEX delivery_id ON earwitness.delivery (session, id) WHERE NOT forgotten;
CREATE INDEX delivery_memory ON earwitness.delivery (session, memory_id);
CREATE INDEX delivery_source ON earwitness.delivery (session, source);
CREATE INDEX delivery_via ON earwitness.delivery (session, via) WHERE via IS NOT NULL;
CREATE INDEX delivery_container ON earwitness.delivery (container, sequence);
CREATE INDEX delivery_pending ON earwitness.delivery (session, due, sequence, position)
    WHERE status = 'pending';
CREATE INDEX delivery_derived ON earwitness.delivery (session, sequence) WHERE derived;
CREATE INDEX delivery_rests_on ON earwitness.delivery USING gin (rests_on) WHERE rests_on <> '{}';
CREATE INDEX delivery_cites ON earwitness.delivery USING gin (cites) WHERE cites <> '{}';

CREATE TABLE earwitness.repeated_delivery (
    session text COLLATE "C" NOT NULL,
    sequence bigint NOT NULL,
    position integer NOT NULL,
    memory_id text COLLATE "C" NOT NULL,
    container text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    body integer NOT NULL,
    metadata integer NOT NULL,
    fields json NOT NULL,
    CONSTRAINT repeated_delivery_pk PRIMARY KEY (session, sequence, position),
    CONSTRAINT repeated_delivery_plan_fk FOREIGN KEY (session, sequence) REFERENCES earwitness.plan ON DELETE CASCADE
);
CREATE INDEX repeated_delivery_container ON earwitness.repeated_delivery (container);

CREATE TABLE earwitness.message (
    session text COLLATE "C" NOT NULL CONSTRAINT message_session_fk
        REFERENCES earwitness.session (id) ON DELETE CASCADE,
    key text COLLATE "C" NOT NULL,
    sequence bigint NOT NULL,
    message json NOT NULL,
    CONSTRAINT message_pk PRIMARY KEY (session, key)
);
CREATE INDEX message_sequence ON earwitness.message (session, sequence);

CREATE TABLE earwitness.plugin_data (
    session text COLLATE "C" NOT NULL CONSTRAINT plugin_data_session_fk
        REFERENCES earwitness.session (id) ON DELETE CASCADE,
    plugin text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    value json NOT NULL,
    CONSTRAINT plugin_data_pk PRIMARY KEY (session, plugin, key)
);

CREATE TABLE earwitness.claim (
    session text COLLATE "C" CONSTRAINT claim_pk PRIMARY KEY CONSTRAINT claim_session_fk
        REFERENCES earwitness.session (id) ON DELETE CASCADE,
    holder text NOT NULL,
    until timestamptz NOT NULL
);
"""
_OTHERS = """
-- Updates, and what was there before the story, are few among the messages.
CREATE INDEX delivery_others ON earwitness.delivery (container, type, sequence) WHERE type <> 'message';
"""

_JOBS = """
ALTER TABLE earwitness.claim ADD COLUMN IF NOT EXISTS job text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE earwitness.claim DROP CONSTRAINT claim_pk, ADD CONSTRAINT claim_pk PRIMARY KEY (session, job);
COMMENT ON TABLE earwitness.claim IS 'Which process decides the entries of a session, or does a job of it, just now';
COMMENT ON COLUMN earwitness.claim.job IS 'The job, as job:facts; empty = to decide entries';
"""

_FACTS = """
-- They grow with the story, and snapshots are written with each plan. What an older snapshot has of them is not read.
CREATE TABLE earwitness.fact (
    session text COLLATE "C" NOT NULL CONSTRAINT fact_session_fk
        REFERENCES earwitness.session (id) ON DELETE CASCADE,
    key text COLLATE "C" NOT NULL,
    number bigint GENERATED ALWAYS AS IDENTITY,
    facts json NOT NULL,
    CONSTRAINT fact_pk PRIMARY KEY (session, key)
);
COMMENT ON TABLE earwitness.fact IS 'What packages note with entries: the facts of a session''s state';
COMMENT ON COLUMN earwitness.fact.session IS 'Session id';
COMMENT ON COLUMN earwitness.fact.key IS 'Key of the entry';
COMMENT ON COLUMN earwitness.fact.number IS 'Their order in the state';
COMMENT ON COLUMN earwitness.fact.facts IS 'By package, what it notes, as JSON';
INSERT INTO earwitness.fact (session, key, facts)
SELECT s.id, n.key, n.value FROM earwitness.session AS s
CROSS JOIN LATERAL json_each(s.snapshot -> 'state' -> 'facts') WITH ORDINALITY AS n (key, value, place)
ORDER BY s.id, n.place;
"""

MIGRATIONS: tuple[PostgresMigration, ...] = (_TABLES + ledger_comments(), VIEWS, _OTHERS, _JOBS, _FACTS)
