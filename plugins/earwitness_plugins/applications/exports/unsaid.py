"""What a story holds besides messages, and a chat therefore does not. Pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from earwitness.records.journal import Body, Changed, Derived, Entry, Retracted, Transferred
from earwitness.records.prose import counted
from earwitness_plugins.applications.replay.replay import THERE

KINDS = ("unmasking", "update or change", "remembered fact", "telling")
_PLURALS = {"update or change": "updates and changes"}


def not_in_a_chat(journal: Sequence[Entry]) -> str | None:
    """The warning about what no chat can hold, with counts; `None` if the story is nothing but messages."""
    taken_back = {entry.body.target for entry in journal if isinstance(entry.body, Retracted)}
    left = [entry for entry in journal if entry.key not in taken_back and not entry.key.endswith(f":{THERE}")]
    counts = Counter(kind for entry in left for kind in _kinds(entry.body))
    if not counts:
        return None
    what = _listed([counted(counts[kind], kind, _PLURALS.get(kind, "")) for kind in KINDS if counts[kind]])
    return f"a chat holds messages only: {what} left out, and what they taught anybody. --format jsonl has them"


def _kinds(body: Body) -> Sequence[str]:
    match body:
        case Changed(unmasks=unmasks) if unmasks:
            return ["unmasking"] * len(unmasks)
        case Changed(quiet=False) if body.updates or body.description or body.changes or body.moves:
            return ["update or change"] * max(1, len(body.updates))
        case Derived():
            return ["remembered fact"]
        case Transferred(rule=None):
            return ["telling"]
    return ()


def _listed(parts: Iterable[str]) -> str:
    *others, last = parts
    return f"{', '.join(others)} and {last}" if others else last
