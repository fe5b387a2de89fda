"""Episodes of CRD3: a JSON list of turns, each with the names of those who speak and what they say.

Source: Rameshkumar and Bailey, "Storytelling with Dialogue: A Critical Role Dungeons and Dragons Dataset", ACL 2020.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from earwitness.errors import StoryError
from earwitness.imports import Imported, Scene, SceneLine

from .files.content_type import json_in
from .files.documents import document
from .files.limits import read_bytes
from .rows import JsonRow, as_row

EVERYBODY = "ALL"


class Crd3Importer:
    """Reads one episode per file; the session is named after the file."""

    def accepts(self, path: str, head: bytes) -> bool:
        """Whether the file is JSON with turns in it."""
        return any(isinstance(turn, dict) and "UTTERANCES" in turn for turn in _turns(json_in(path, head)))

    def read(self, path: str) -> Imported:
        """The episode. Raises `StoryError` that names the turn that cannot be read."""
        repairs: list[str] = []
        found = document(read_bytes(path), path, repairs)
        turns = [as_row(f"{path}: turn {number}", turn) for number, turn in enumerate(_turns(found.value), 1)]
        if not turns:
            raise StoryError(f"{path}: it holds no turns. They are a list of objects with NAMES and UTTERANCES.")
        repairs += [
            f"{turn.place}: has no UTTERANCES, so nobody speaks in it"
            for turn in turns
            if "UTTERANCES" not in turn.values
        ]
        return Imported(scenes=(_scene(Path(path).stem, turns),), repairs=tuple(repairs))


def _turns(value: Any) -> Iterator[Any]:
    """All turns of a list, an episode with `TURNS`, or chunks, which overlap and repeat turn numbers."""
    seen: set[object] = set()
    for part in value if isinstance(value, list) else [value]:
        if not isinstance(part, dict):
            continue
        if "UTTERANCES" in part or "NAMES" in part:
            yield part
        for turn in part.get("TURNS") or ():
            number = turn.get("NUMBER") if isinstance(turn, dict) else None
            if not isinstance(number, int) or number not in seen:
                seen.add(number)
                yield turn


def _scene(id: str, turns: list[JsonRow]) -> Scene:
    spoken = [(_names(turn), _text(turn)) for turn in turns]
    roster = tuple(dict.fromkeys(name for names, _ in spoken for name in names))
    return Scene(id=id, roster=roster, lines=tuple(_line(names, text, roster) for names, text in spoken))


def _names(turn: JsonRow) -> tuple[str, ...]:
    """Who speaks; no name where everybody does (`ALL`, `ALL - MATT`)."""
    names = [name.strip() for name in turn.names("NAMES") or ()]
    return tuple(name for name in names if name and not re.match(rf"{EVERYBODY}\b", name))


def _text(turn: JsonRow) -> str:
    return " ".join(each.strip() for each in turn.names("UTTERANCES") or ())


def _line(names: tuple[str, ...], text: str, roster: tuple[str, ...]) -> SceneLine:
    """One line. Of several speakers, the first counts, and everybody hears them; of one, the source does not say."""
    if not names:
        return SceneLine(text=f"Everybody: {text}" if text else "", audience=roster)
    return SceneLine(speaker=names[0], text=text, audience=roster if len(names) > 1 else None)
