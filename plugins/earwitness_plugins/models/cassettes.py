"""Cassettes: files with the answers of models, so that a run can be repeated without any.

One JSON object a line: the digest of the request, the request, and the reply. Requests hold no key, and what texts
quote of one was taken out before. A last line that was cut short, as by a killed program, is left out, and taken away
before the next answer is recorded.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from earwitness import Record
from earwitness.errors import SettingsError

from .errors import NotOnCassette
from .records import ModelReply, ModelRequest

CassetteMode = Literal["replay", "record", "auto"]
BEGINNING = b'{"digest":"'
"""How each line begins that was recorded."""
_log = logging.getLogger("earwitness")


class RecordedAnswer(Record):
    """One line of a cassette."""

    digest: str
    """The request's digest."""
    prompt: str = ""
    """Name and version of the prompt."""
    request: ModelRequest
    """What was asked."""
    reply: ModelReply
    """What was answered."""
    seconds: float = 0.0
    """How long that took."""


class Cassette:
    """The recorded answers of one file. The same request may have several: they come in order, the last one again."""

    def __init__(self, path: Path, mode: CassetteMode) -> None:
        """Raises `SettingsError` for a file that is not a cassette, and for one that is missing and to be replayed."""
        self._ends_whole = False
        """Whether the file is known to end with a whole line."""
        self.path = path
        self.mode = mode
        self._answers: dict[str, list[RecordedAnswer]] = defaultdict(list)
        self._heard: dict[str, int] = defaultdict(int)
        if mode != "record":
            self._load()

    def answer(self, request: ModelRequest) -> RecordedAnswer | None:
        """The next recorded answer to a request; `None` where there is none."""
        digest = request.digest
        found = self._answers.get(digest)
        if not found:
            return None
        number = self._heard[digest]
        self._heard[digest] += 1
        return found[min(number, len(found) - 1)]

    def keep(self, answer: RecordedAnswer) -> None:
        """Append an answer to the file. Raises `SettingsError` if it cannot be written."""
        self._answers[answer.digest].append(answer)
        self._heard[answer.digest] = len(self._answers[answer.digest])
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._end_whole()
            with self.path.open("a", encoding="utf-8") as file:
                file.write(answer.model_dump_json(exclude_defaults=True) + "\n")
        except OSError as error:
            raise SettingsError(f"the cassette {str(self.path)!r} cannot be written: {error}.") from error

    def missing(self, request: ModelRequest, prompt: str) -> NotOnCassette:
        """The error for a request that has no recorded answer."""
        return NotOnCassette(
            f"the cassette {str(self.path)!r} has no answer to this request ({prompt or 'no prompt'}, model "
            f'{request.model!r}, digest {request.digest}). Record it: cassette_mode = "auto" asks for what is missing.'
        )

    def _load(self) -> None:
        if not self.path.exists():
            if self.mode == "replay":
                raise SettingsError(
                    f'the cassette {str(self.path)!r} does not exist. Record it first: cassette_mode = "record".'
                )
            return
        *lines, last = self._bytes().split(b"\n")
        for number, line in enumerate((*lines, *_whole(last)), 1):
            if line.strip():
                answer = self._read(number, line)
                self._answers[answer.digest].append(answer)
        if last.strip() and not _whole(last):
            found, ending = len(lines), "its answer is not used, and recorded anew when it is asked for"
            _log.warning("%s, line %d: the cassette's last line was cut short: %s.", self.path, found + 1, ending)

    def _read(self, number: int, line: bytes) -> RecordedAnswer:
        try:
            return RecordedAnswer.model_validate_json(line)
        except ValidationError as error:
            why = error.errors()[0]["msg"]
            raise SettingsError(
                f"{self.path}, line {number}: not an answer of a cassette: {why}. Delete the line, or record anew."
            ) from error

    def _bytes(self) -> bytes:
        try:
            return self.path.read_bytes()
        except OSError as error:
            raise SettingsError(f"the cassette {str(self.path)!r} cannot be read: {error}.") from error

    def _end_whole(self) -> None:
        """Take away a last line that was cut short, so that the next one does not go on with it."""
        if not self._ends_whole and self.path.exists():
            text = self.path.read_bytes()
            last = text.rpartition(b"\n")[2]
            with self.path.open("r+b") as file:
                if _whole(last):
                    file.seek(0, 2)
                    file.write(b"\n" if last.strip() else b"")
                else:
                    file.truncate(len(text) - len(last))
        self._ends_whole = True


def _whole(line: bytes) -> tuple[bytes, ...]:
    """The last line of a cassette, unless it was cut short."""
    if not line.startswith(BEGINNING[: len(line)]):
        return (line,)
    try:
        RecordedAnswer.model_validate_json(line)
    except ValidationError:
        return ()
    return (line,)
