"""Cassettes: files with the answers of models, so that a run can be repeated without any.

One JSON object a line: the digest of the request, the request, and the reply. Requests hold no key, and what texts
quote of one was taken out before.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from earwitness import Record
from earwitness.errors import SettingsError

from .errors import NotOnCassette
from .records import ModelReply, ModelRequest

CassetteMode = Literal["replay", "record", "auto"]


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
        """Raises `SettingsError` for a file that is no cassette, and for one that is missing and to be replayed."""
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
        for number, line in enumerate(self.path.read_text("utf-8").splitlines(), 1):
            if line.strip():
                try:
                    answer = RecordedAnswer.model_validate_json(line)
                except ValidationError as error:
                    why = error.errors()[0]["msg"]
                    raise SettingsError(f"{self.path}, line {number}: no answer of a cassette: {why}.") from error
                self._answers[answer.digest].append(answer)
