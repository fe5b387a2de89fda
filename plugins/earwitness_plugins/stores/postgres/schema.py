"""The tables of the store in PostgreSQL, and their migrations, oldest first."""

from __future__ import annotations

from earwitness_plugins.postgres import PostgresMigration
from earwitness_plugins.postgres.comments import comments

from .comments import MEMORIES, MEMORIES_COLUMNS, READERS, READERS_COLUMNS, WRITING

COMPONENT = "store"
PARTITIONS = 8

_TABLES = """
CREATE EXTENSION IF NOT EXISTS vector;

CREATE TABLE earwitness.memory_container (
    number integer GENERATED ALWAYS AS IDENTITY CONSTRAINT memory_container_pk PRIMARY KEY,
    name text COLLATE "C" NOT NULL CONSTRAINT memory_container_name_key UNIQUE,
    memories bigint NOT NULL DEFAULT 0 CONSTRAINT memory_container_memories_check CHECK (memories >= 0),
    words bigint NOT NULL DEFAULT 0 CONSTRAINT memory_container_words_check CHECK (words >= 0)
);

CREATE SEQUENCE earwitness.memory_number;

CREATE TABLE earwitness.memory (
    container integer NOT NULL,
    number bigint NOT NULL DEFAULT nextval('earwitness.memory_number'),
    id text COLLATE "C" NOT NULL,
    content text NOT NULL,
    metadata jsonb NOT NULL CONSTRAINT memory_metadata_check CHECK (jsonb_typeof(metadata) = 'object'),
    exact_metadata json,
    spoken boolean NOT NULL GENERATED ALWAYS AS (coalesce(metadata -> 'type' ? 'message', false)) STORED,
    words integer NOT NULL CONSTRAINT memory_words_check CHECK (words >= 0),
    embedding halfvec,
    indexed boolean NOT NULL,
    CONSTRAINT memory_pk PRIMARY KEY (container, id),
    CONSTRAINT memory_number_key UNIQUE (container, number)
) PARTITION BY HASH (container);

CREATE TABLE earwitness.memory_word (
    container integer NOT NULL,
    term text COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    times integer NOT NULL CONSTRAINT memory_word_times_check CHECK (times > 0),
    words integer NOT NULL,
    CONSTRAINT memory_word_pk PRIMARY KEY (container, term, number) INCLUDE (times, words)
) PARTITION BY HASH (container);
CREATE INDEX memory_word_number ON earwitness.memory_word (container, number);

CREATE TABLE earwitness.memory_place (
    container integer NOT NULL,
    id text COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    CONSTRAINT memory_place_pk PRIMARY KEY (container, id)
);

CREATE TABLE earwitness.memory_fact (
    name text CONSTRAINT memory_fact_pk PRIMARY KEY,
    value text NOT NULL
);

CREATE TABLE earwitness.memory_vector (
    digest bytea CONSTRAINT memory_vector_pk PRIMARY KEY,
    embedding halfvec
);

CREATE VIEW earwitness.memories WITH (security_invoker = true) AS
SELECT c.name AS container, m.id, m.content,
    m.metadata ->> 'type' AS type, m.metadata ->> 'speaker' AS speaker, m.metadata -> 'gameDay' AS said_on,
    coalesce(m.metadata -> 'learnedDay', m.metadata -> 'gameDay') AS learned_on,
    m.metadata ->> 'interactionType' AS how, m.metadata ->> 'sharedFrom' AS told_by, m.metadata, m.number
FROM earwitness.memory m JOIN earwitness.memory_container c ON c.number = m.container;
"""

_READERS = """
CREATE TABLE earwitness.reader (
    number integer GENERATED ALWAYS AS IDENTITY CONSTRAINT reader_pk PRIMARY KEY,
    role text NOT NULL,
    session text COLLATE "C",
    member text COLLATE "C",
    container text COLLATE "C",
    CONSTRAINT reader_key UNIQUE NULLS NOT DISTINCT (role, session, member, container)
);

CREATE FUNCTION earwitness.readable_containers(asking name) RETURNS SETOF integer
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT pg_has_role(session_user, asking, 'MEMBER') THEN
        RETURN;  -- nobody asks in another one's name
    END IF;
    RETURN QUERY
        SELECT c.number FROM earwitness.reader r JOIN earwitness.memory_container c ON c.name = r.container
        WHERE pg_has_role(asking, r.role, 'MEMBER');
    IF to_regclass('earwitness.container') IS NULL OR to_regclass('earwitness.membership') IS NULL THEN
        RETURN;  -- the ledger is elsewhere, and with it the register
    END IF;
    RETURN QUERY
        WITH allowed AS (
            SELECT coalesce(r.session, nullif(current_setting('earwitness.session', true), '')) COLLATE "C" AS session,
                r.member
            FROM earwitness.reader r WHERE r.container IS NULL AND pg_has_role(asking, r.role, 'MEMBER')
        ), own AS (
            SELECT its.name, its.owner, a.session FROM allowed a JOIN earwitness.container its
                ON its.session = a.session
                AND (a.member IS NULL OR (its.kind = 'character' AND its.owner = a.member))
        ), shared AS (
            SELECT m.container AS name FROM own o
            JOIN earwitness.membership m ON m.member = o.owner
            JOIN earwitness.session s ON s.id = o.session
            WHERE (m.since IS NULL OR m.since <= (s.snapshot #>> '{state,game_day}')::double precision)
                AND (m.until IS NULL OR m.until >= (s.snapshot #>> '{state,game_day}')::double precision)
        )
        SELECT c.number FROM earwitness.memory_container c
        WHERE c.name IN (SELECT o.name FROM own o UNION ALL SELECT s.name FROM shared s);
END
$$;

CREATE FUNCTION earwitness.let_read(role name, session text DEFAULT NULL, member text DEFAULT NULL)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO earwitness.reader (role, session, member) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING;
    EXECUTE format('GRANT USAGE ON SCHEMA earwitness TO %I', $1);
    EXECUTE format('GRANT SELECT ON earwitness.memory, earwitness.memory_container, earwitness.memories TO %I', $1);
END
$$;

ALTER TABLE earwitness.memory ENABLE ROW LEVEL SECURITY;
ALTER TABLE earwitness.memory_container ENABLE ROW LEVEL SECURITY;
ALTER TABLE earwitness.memory_word ENABLE ROW LEVEL SECURITY;
ALTER TABLE earwitness.memory_place ENABLE ROW LEVEL SECURITY;
CREATE POLICY memory_reader ON earwitness.memory FOR SELECT
    USING (container IN (SELECT earwitness.readable_containers(current_user)));
CREATE POLICY memory_container_reader ON earwitness.memory_container FOR SELECT
    USING (number IN (SELECT earwitness.readable_containers(current_user)));
CREATE POLICY memory_word_reader ON earwitness.memory_word FOR SELECT
    USING (container IN (SELECT earwitness.readable_containers(current_user)));
"""

_LEAN = """
ALTER TABLE earwitness.memory ADD COLUMN learned_day numeric GENERATED ALWAYS AS (
    CASE jsonb_typeof(metadata -> 'learnedDay') WHEN 'number' THEN (metadata -> 'learnedDay')::numeric END
) STORED;
COMMENT ON COLUMN earwitness.memory.learned_day IS 'learnedDay of metadata, which every recall compares; else null';
DROP INDEX earwitness.memory_word_number;
"""
"""It rewrites the table. To look into the JSON of every memory took half the time of a search, and the index a fifth of
that of a write; words are removed by their names."""

_WRITING = """
CREATE FUNCTION earwitness.write_memories(
    made_by text, cut_by text, names text[], added integer[], added_words integer[],
    owners integer[], nth integer[], ids text[], metadata jsonb, exact json[], texts integer[],
    contents text[], vectors halfvec[], words integer[], holders integer[], terms text[], times integer[],
    compared integer
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    numbers integer[];
    held bigint[];
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtext('earwitness.embedder'));
    SELECT array_agg(l.number), array_agg(l.memories) INTO numbers, held FROM (
        SELECT c.number, c.memories FROM earwitness.memory_container c WHERE c.name = ANY(write_memories.names)
        ORDER BY c.name FOR NO KEY UPDATE
    ) l;
    IF cardinality(numbers) IS DISTINCT FROM cardinality(names)
        OR (SELECT count(*) FROM earwitness.memory_fact f
            WHERE (f.name, f.value) IN (('embedder', made_by), ('words', cut_by))) <> 2
    THEN
        RETURN false;
    END IF;
    WITH given AS MATERIALIZED (
        SELECT numbers[g.owner] AS container, nextval('earwitness.memory_number') AS number,
            held[g.owner] + g.nth >= compared AS indexed, g.id, g.metadata, g.exact, g.text
        FROM ROWS FROM (
            unnest(owners, nth, write_memories.ids, write_memories.exact, texts),
            jsonb_array_elements(write_memories.metadata)
        ) AS g (owner, nth, id, exact, text, metadata)
    ), written AS (
        INSERT INTO earwitness.memory
            (container, id, number, content, metadata, exact_metadata, embedding, words, indexed)
        SELECT g.container, g.id, g.number, t.content, g.metadata, g.exact, t.embedding, t.words, g.indexed
        FROM given g JOIN unnest(contents, vectors, write_memories.words) WITH ORDINALITY
            AS t (content, embedding, words, place) ON t.place = g.text
    ), worded AS (
        INSERT INTO earwitness.memory_word (container, number, term, times, words)
        SELECT g.container, g.number, h.term, h.times, write_memories.words[h.text]
        FROM given g JOIN unnest(holders, terms, write_memories.times) AS h (text, term, times) ON h.text = g.text
        ORDER BY g.container
    )
    UPDATE earwitness.memory_container c SET memories = c.memories + a.memories, words = c.words + a.words
    FROM unnest(numbers, added, added_words) AS a (number, memories, words) WHERE c.number = a.number;
    RETURN true;
EXCEPTION WHEN unique_violation THEN
    RETURN false;
END
$$;
"""
"""A batch is one way to the server. What is found there already leaves nothing behind, without a look at it before.

Each statement of a function sees what was committed before that statement, so those after the lock see all that was
written under it. Containers are locked in the order of their names, which are given in that order, as everywhere."""


def _partitions(table: str) -> str:
    return "".join(
        f"CREATE TABLE earwitness.{table}_{part} PARTITION OF earwitness.{table}"
        f" FOR VALUES WITH (MODULUS {PARTITIONS}, REMAINDER {part});\n"
        f"COMMENT ON TABLE earwitness.{table}_{part} IS 'A part of {table}: read that';\n"
        f"ALTER TABLE earwitness.{table}_{part} ENABLE ROW LEVEL SECURITY;\n"
        for part in range(PARTITIONS)
    )


MIGRATIONS: tuple[PostgresMigration, ...] = (
    _TABLES + comments(MEMORIES, MEMORIES_COLUMNS) + _partitions("memory") + _partitions("memory_word"),
    _READERS + comments(READERS, READERS_COLUMNS),
    _LEAN,
    _WRITING + comments(WRITING, {}),
)
"""Never change one that was released; add one at the end."""
