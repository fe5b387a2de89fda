"""Long conversations with questions whose answers are in known turns: the formats of LoCoMo and REALTALK.

Both hold `session_N` lists of turns with ids (`D1:3`), `session_N_date_time`, and `qa`, a list of questions that name
the turns with their answers; LoCoMo under `conversation`, REALTALK at the top level.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from earwitness.errors import StoryError
from earwitness.patterns import lazy_pattern

from .files.content_type import json_in
from .files.documents import document
from .files.limits import read_bytes
from .labelled import Asked, Labelled, LabelledLine, LabelledScene
from .rows import JsonRow, as_row

_SESSION = lazy_pattern(r"session_(\d+)")
_EVIDENCE = lazy_pattern(r"D\d+:\d+")


class ConversationsImporter:
    """Reads one conversation per file, sessions in order. A picture that was sent is described by its caption."""

    def accepts(self, path: str, head: bytes) -> bool:
        """Whether the file is JSON with questions and sessions."""
        found = json_in(path, head)
        return isinstance(found, dict) and "qa" in found and any(map(_SESSION.fullmatch, _sessions(found)))

    def read(self, path: str) -> Labelled:
        """The conversation. Raises `StoryError` that names the place in the file."""
        repairs: list[str] = []
        row = as_row(path, document(read_bytes(path), path, repairs).value)
        lines = tuple(_lines(row))
        if not lines:
            raise StoryError(f"{path}: nobody speaks in it.")
        name = Path(path).stem
        roster = tuple(dict.fromkeys(line.speaker for line in lines if line.speaker))
        scene = LabelledScene(id=name, dataset=name, name=name, group=name, roster=roster, lines=lines)
        return Labelled(scenes=(scene,), asked=tuple(_asked(row, name)), repairs=tuple(repairs))


def _sessions(found: Mapping[str, Any]) -> Mapping[str, Any]:
    inner = found.get("conversation", found)
    return inner if isinstance(inner, dict) else {}


def _lines(row: JsonRow) -> Iterator[LabelledLine]:
    sessions = JsonRow(row.place, dict(_sessions(row.values)))
    numbers = sorted(int(found[1]) for name in sessions.values if (found := _SESSION.fullmatch(name)))
    for number in numbers:
        when = sessions.optional_text(f"session_{number}_date_time")
        turns = sessions.rows(f"session_{number}") if sessions.values[f"session_{number}"] else ()
        yield from (_line(turn, number, when) for turn in turns)


def _line(turn: JsonRow, number: int, when: str | None) -> LabelledLine:
    said = turn.optional_text("text") or turn.optional_text("clean_text") or ""
    shown = turn.optional_text("blip_caption")
    text = f"{said} [shows {shown}]".strip() if shown else said
    dated = turn.optional_text("date_time") or when
    return LabelledLine(
        speaker=_name(turn.text("speaker")),
        text=f"({dated}) {text}" if dated else text,
        key=turn.text("dia_id"),
        notes={"day": number},
    )


def _name(written: str) -> str:
    """The name in one letter case: REALTALK writes the same speaker in several."""
    bare = written.strip()
    return bare.title() if bare.islower() or bare.isupper() else bare


def _asked(row: JsonRow, scene: str) -> Iterator[Asked]:
    """The questions that have evidence; an id that no turn has counts as missed."""
    for each in row.rows("qa"):
        named = " ".join(map(str, each.values.get("evidence") or ()))
        if evidence := tuple(dict.fromkeys(_EVIDENCE.findall(named))):
            category = str(each.values.get("category", ""))
            yield Asked(scene=scene, text=each.text("question"), evidence=evidence, category=category)
