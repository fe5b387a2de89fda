"""Conversations with questions whose answers stand in known turns: the formats of LoCoMo and of REALTALK.

Both hold `session_N` lists of turns with ids (`D1:3`), `session_N_date_time`, and `qa`, a list of questions that name
the turns of their evidence; LoCoMo under `conversation`, REALTALK at the top level.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

_SESSION = re.compile(r"session_(\d+)$")
_EVIDENCE = re.compile(r"D\d+:\d+")


class Said(NamedTuple):
    """One turn of a conversation."""

    id: str
    """Such as `D1:3`."""
    session: int
    """Which of the conversation's sessions, from 1."""
    when: str
    """The date and time as written."""
    speaker: str
    """As written, capitalised."""
    text: str
    """What was said, and what a picture that was sent shows."""


class Asked(NamedTuple):
    """One question."""

    text: str
    category: str
    evidence: frozenset[str]
    """Ids of the turns that hold the answer; never empty."""
    answer: str = ""
    """What the answer is; empty where the question has none."""


class Conversation(NamedTuple):
    """One file."""

    name: str
    turns: Sequence[Said]
    questions: Sequence[Asked]


def read(path: Path) -> Conversation:
    """Read a file of either format. Raises `ValueError` when it is neither."""
    found = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(found, dict) or "qa" not in found:
        raise ValueError(f"{path}: neither LoCoMo's format nor REALTALK's: there is no `qa` at the top level.")
    turns = list(_turns(found.get("conversation", found)))
    return Conversation(path.stem, turns, list(_questions(found["qa"])))


def _turns(sessions: Mapping[str, Any]) -> Iterator[Said]:
    numbered = [(int(match[1]), turns) for name, turns in sessions.items() if (match := _SESSION.match(name))]
    for number, turns in sorted(numbered, key=lambda pair: pair[0]):
        when = sessions.get(f"session_{number}_date_time") or ""
        for turn in turns or ():
            yield Said(turn["dia_id"], number, turn.get("date_time") or when, _name(turn["speaker"]), _text(turn))


def _name(written: str) -> str:
    """REALTALK writes one speaker in several letter cases."""
    return written.strip().title() if written.strip().islower() or written.strip().isupper() else written.strip()


def _text(turn: Mapping[str, Any]) -> str:
    said = str(turn.get("text", turn.get("clean_text")) or "")
    shown = turn.get("blip_caption")
    return f"{said} [shows {shown}]".strip() if shown else said


def _questions(rows: Sequence[Mapping[str, Any]]) -> Iterator[Asked]:
    """Questions without evidence are left out; an id that no turn has counts as missed."""
    for row in rows:
        evidence = frozenset(_EVIDENCE.findall(" ".join(map(str, row.get("evidence") or ()))))
        if evidence:
            yield Asked(row["question"], str(row.get("category", "")), evidence, str(row.get("answer") or ""))
