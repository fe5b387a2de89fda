"""Views for people: who remembers what, what is still to come, and how each story is doing.

They show what the ledger has recorded, wherever the memories live. Who asks sees what they may see of the tables.
"""

from __future__ import annotations

from earwitness_plugins.postgres.comments import as_comment

_READABLE = """
CREATE FUNCTION earwitness.readable(value json) RETURNS json LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN replace(value::text, '\\u0000', '\\ufffd')::json;
COMMENT ON FUNCTION earwitness.readable IS 'JSON without NUL, which PostgreSQL has no text for';
"""
_DELIVERIES = """
CREATE VIEW earwitness.delivered WITH (security_invoker = true) AS
SELECT d.session, d.owner, d.container, d.memory_id, d.sequence, d.source,
    earwitness.readable(body.text) #>> '{}' AS content,
    coalesce(its.support->>'how', 'direct') AS how,
    its.support->>'shared_from' AS shared_from,
    its.support->>'rule' AS rule,
    (its.support->>'learned_day')::double precision AS learned_day,
    d.due, d.status, d.reason, earwitness.readable(metadata.text) AS metadata
FROM earwitness.delivery AS d
JOIN earwitness.plan_text AS body
    ON body.session = d.session AND body.sequence = d.sequence AND body.number = d.body
JOIN earwitness.plan_text AS metadata
    ON metadata.session = d.session AND metadata.sequence = d.sequence AND metadata.number = d.metadata
CROSS JOIN LATERAL (SELECT earwitness.readable(d.fields->'support') AS support) AS its;
"""
_WHO_REMEMBERS = """
CREATE VIEW earwitness.who_remembers WITH (security_invoker = true) AS
SELECT session, owner, content, how, shared_from, learned_day, rule, container, memory_id, source, sequence
FROM earwitness.delivered WHERE status = 'applied';
"""
_STORIES = """
CREATE VIEW earwitness.story WITH (security_invoker = true) AS
SELECT s.id AS session, s.last AS entries, s.last - s.decided AS undecided,
    (SELECT count(*) FROM earwitness.entry AS e WHERE e.session = s.id AND NOT e.applied) AS unapplied,
    (SELECT count(*) FROM earwitness.delivery AS d WHERE d.session = s.id AND d.status = 'pending') AS due_later,
    (SELECT e.timestamp FROM earwitness.entry AS e WHERE e.session = s.id AND e.sequence = s.last) AS last_said,
    c.holder AS claimed_by, c.until AS claimed_until
FROM earwitness.session AS s
LEFT JOIN earwitness.claim AS c ON c.session = s.id AND c.until > clock_timestamp();
"""
_COMMENTS = {
    "delivered": "Every delivery with its content: one row for each way in which somebody learns something",
    "who_remembers": "Who remembers what, from whom and since when: one row for each way in which it is known",
    "story": "How each story is doing: what is not decided, not applied or due later, and who decides it just now",
}
_COLUMNS = {
    "delivered": {
        "session": "Session id",
        "owner": "Character id, or world",
        "container": "Container name",
        "memory_id": "Id of the memory",
        "sequence": "Number of the entry that brought it",
        "source": "Key of the entry that it is about",
        "content": "What is remembered, without world knowledge told along with it",
        "how": "direct, witnessed or shared",
        "shared_from": "Id of the character who told it",
        "rule": "The sharing rule, plugin or evidence behind it",
        "learned_day": "Game day on which it is learned",
        "due": "Game day on which it is due",
        "status": "pending, applied, struck, withdrawn or archived",
        "reason": "Why it was struck, withdrawn or archived",
        "metadata": "Metadata as JSON",
    },
    "story": {
        "session": "Session id",
        "entries": "Number of the last entry",
        "undecided": "How many entries have no plan yet",
        "unapplied": "How many entries have not reached the store with all that is due",
        "due_later": "How many deliveries wait for their day",
        "last_said": "When the last entry was reported, ISO 8601 in UTC",
        "claimed_by": "The process that decides it just now",
        "claimed_until": "When its claim expires unless it is renewed",
    },
}
_COLUMNS["who_remembers"] = {
    name: text for name, text in _COLUMNS["delivered"].items() if name not in {"due", "status", "reason", "metadata"}
}
VIEWS = "".join(
    [
        _READABLE,
        _DELIVERIES,
        _WHO_REMEMBERS,
        _STORIES,
        *(as_comment(f"VIEW earwitness.{view}", text) for view, text in _COMMENTS.items()),
        *(
            as_comment(f"COLUMN earwitness.{view}.{column}", text)
            for view, columns in _COLUMNS.items()
            for column, text in columns.items()
        ),
    ]
)
