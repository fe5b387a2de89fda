"""Transcripts of role-playing sessions in CRD3's format: who says what, one turn after the other."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple


class Spoken(NamedTuple):
    """One turn."""

    speaker: str
    text: str


def read(paths: Sequence[Path]) -> list[Spoken]:
    """All turns of all files, in order; of several who speak at once, the first."""
    return [spoken for path in paths for spoken in _turns(path)]


def _turns(path: Path) -> Iterable[Spoken]:
    found = json.loads(path.read_text(encoding="utf-8"))
    for turn in found["TURNS"] if isinstance(found, dict) else found:
        text = " ".join(turn["UTTERANCES"]).strip()
        if text and turn["NAMES"]:
            yield Spoken(turn["NAMES"][0].strip(), text)


def written(spoken: Iterable[Spoken], path: Path) -> Path:
    """The turns as a file that `earwitness replay` reads."""
    lines = [json.dumps({"speaker": each.speaker, "text": each.text}) for each in spoken]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
