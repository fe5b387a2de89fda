"""What each table and column of the ledger holds, as comments in the database, where they are shown to whoever asks."""

from __future__ import annotations

from earwitness_plugins.postgres.comments import comments

TABLES: dict[str, str] = {
    "session": "Stories, each as of the last entry whose plan is recorded",
    "container": "The register of containers: one name, one owner",
    "membership": "Who may read a container that is not their own; each time is a row",
    "entry": "The journal: what hosts reported, in order, without gaps",
    "plan": "What was decided for each entry, once. Its deliveries are in delivery",
    "plan_text": "What several deliveries of one plan share, each different text once",
    "delivery": "Who is to remember what: one memory, or one more support of it, for one container",
    "repeated_delivery": "What a plan delivers that was delivered already, kept to show the plan whole",
    "message": "Messages as last settled: said, revised or retracted",
    "plugin_data": "What plugins and strategies keep for a session",
    "claim": "Which process decides the entries of a session just now, so that no strategy is asked twice",
}
COLUMNS: dict[str, dict[str, str]] = {
    "session": {
        "id": "Session id",
        "last": "Number of the last entry of the journal; a branch counts on from its parent",
        "decided": "Number of the last entry whose plan is recorded",
        "version": "A new number whenever the snapshot changes; no two sessions share one",
        "snapshot": "Cast, state and what else is current, as JSON",
    },
    "container": {
        "name": "Container name, such as s1-alice or pantheon-olympus",
        "kind": "character, world, persona, user, global_canon, pantheon, conversation, …",
        "owner": "Id of the owner, whose type follows from the kind, or world",
        "session": "Id of the session it belongs to; null = it outlives sessions",
        "position": "The order in which containers were claimed",
    },
    "membership": {
        "number": "The order in which memberships were written",
        "container": "Container name",
        "member": "Id of the personality that may read it; * = everybody who asks by name",
        "since": "First game day; null = no beginning",
        "until": "Last game day; null = no end",
    },
    "entry": {
        "session": "Session id",
        "sequence": "1, 2, 3, … within the session",
        "key": "The host's key, or # and the number",
        "timestamp": "When the host reported it, ISO 8601 in UTC",
        "applied": "Whether everything in its plan that is due has reached the store",
        "body": "What was reported, as JSON; body->>'kind' says what it is",
    },
    "plan": {
        "session": "Session id",
        "sequence": "Number of the entry",
        "plan": "The plan without its deliveries, as JSON",
    },
    "plan_text": {
        "session": "Session id",
        "sequence": "Number of the entry",
        "number": "0, 1, 2, … within the plan",
        "text": "The content of a memory as a JSON string, or metadata as a JSON object",
    },
    "delivery": {
        "number": "The order in which deliveries were recorded",
        "session": "Session id",
        "sequence": "Number of the entry whose plan it belongs to",
        "position": "Its place in the plan",
        "id": "Derives from the memory and the way it got there: the same way twice is one",
        "memory_id": "Id of the memory that it creates or supports",
        "container": "Container name",
        "owner": "Owner of the container: a character id or world",
        "source": "Key of the entry that the memory is about",
        "via": "Id of the teller's memory, where it was told on",
        "type": "Metadata type: message, world_state_update, lore, …",
        "due": "The game day on which it is due",
        "status": "pending until its day, then applied; struck by a guard; withdrawn by a retraction or edit; archived",
        "reason": "Why it was struck, withdrawn or archived",
        "forgotten": "Struck since its owner was forgotten; the same may be delivered anew",
        "derived": "Whether it is a fact, summary or note rather than a message or update",
        "rests_on": "Ids of the memories that it was derived from",
        "cites": "Ids of the world memories that its knowledge cites",
        "body": "Number of its content in plan_text, within the plan",
        "metadata": "Number of its metadata in plan_text, within the plan",
        "fields": "All other fields as JSON: support, knowledge, disguises, …, as recorded",
    },
    "repeated_delivery": {
        "session": "Session id",
        "sequence": "Number of the entry whose plan it belongs to",
        "position": "Its place in the plan",
        "memory_id": "Id of the memory",
        "container": "Container name",
        "owner": "Owner of the container",
        "body": "Number of its content in plan_text, within the plan",
        "metadata": "Number of its metadata in plan_text, within the plan",
        "fields": "All other fields as JSON",
    },
    "message": {
        "session": "Session id",
        "key": "Key of the message",
        "sequence": "Number of the entry by which it was said",
        "message": "The message and its participants, as JSON",
    },
    "plugin_data": {
        "session": "Session id",
        "plugin": "Name of the plugin or strategy",
        "key": "The plugin's own key",
        "value": "The value, as JSON",
    },
    "claim": {
        "session": "Session id",
        "holder": "The process: its machine, its number and a number of its own",
        "until": "When it expires unless it is renewed; a killed process leaves it behind",
    },
}


def ledger_comments() -> str:
    """The statements that write them."""
    return comments({f"TABLE earwitness.{table}": text for table, text in TABLES.items()}, COLUMNS)
