"""Prompts: TOML files with a version, a `system` and a `user` text. A host may replace each by its own.

`{name}` is a place that is filled in, once: what is put there is never read for places again.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, JsonValue, ValidationError
from pydantic_core import to_json

from earwitness import Record
from earwitness.errors import SettingsError
from earwitness.loading.files import read_toml
from earwitness.patterns import lazy_pattern

from .records import ChatMessage

OURS = Path(__file__).parents[1] / "prompts"
"""The folder with the prompts that ship."""
PLACE = lazy_pattern(r"\{([a-z_]+)\}")


class ModelPrompt(Record):
    """One prompt."""

    name: str
    """The file's name without its ending."""
    version: str
    """What the file says its version is, and a digest of its text: `1 (5f0c2a91)`."""
    system: str
    """The instructions."""
    user: str
    """The question."""

    @property
    def label(self) -> str:
        """`world_agent 1 (5f0c2a91)`: as reports name it."""
        return f"{self.name} {self.version}"

    def messages(self, **filled: str) -> tuple[ChatMessage, ...]:
        """The conversation, with its places filled. Raises `SettingsError` for a place that nothing fills."""
        texts = (("system", self.system), ("user", self.user))
        return tuple(
            ChatMessage.model_validate({"role": role, "content": self._filled(text, filled)}) for role, text in texts
        )

    def _filled(self, text: str, values: Mapping[str, str]) -> str:
        def put(place: re.Match[str]) -> str:
            if place[1] not in values:
                known = ", ".join(f"{{{each}}}" for each in sorted(values)) or "none"
                raise SettingsError(f"the prompt {self.name!r} holds {{{place[1]}}}. Its places: {known}.")
            return values[place[1]]

        return PLACE.sub(put, text).strip()

    @classmethod
    def load(cls, name: str, folder: Path | None = None) -> Self:
        """The prompt of this name: from the host's folder if it is there, else ours. Raises `SettingsError`."""
        path = next((file for file in _files(name, folder) if file.exists()), None)
        if path is None:
            raise SettingsError(f"there is no prompt {name!r} in {folder or OURS}.")
        file = read_toml(path, SettingsError)
        try:
            text = _PromptFile.model_validate(file.value)
        except ValidationError as error:
            problem = error.errors()[0]
            raise file.error(tuple(map(str, problem["loc"])), f"{problem['msg']}.") from error
        digest = hashlib.sha256(f"{text.system}\n{text.user}".encode()).hexdigest()[:8]
        return cls(name=name, version=f"{text.version} ({digest})", system=text.system, user=text.user)


class _PromptFile(Record):
    version: Annotated[int, Field(ge=1)]
    system: str = Field(min_length=1)
    user: str = Field(min_length=1)


def _files(name: str, folder: Path | None) -> tuple[Path, ...]:
    return (*((folder / f"{name}.toml",) if folder else ()), OURS / f"{name}.toml")


def fenced(material: JsonValue) -> str:
    """Material as JSON between tags that it cannot close: it has no `<`, and the tags carry its digest."""
    text = to_json(material).decode().replace("<", "\\u003c").replace(">", "\\u003e")
    mark = hashlib.sha256(text.encode()).hexdigest()[:12]
    return f"<data-{mark}>\n{text}\n</data-{mark}>"
