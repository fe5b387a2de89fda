"""Prompts: TOML files with a version, a `system` and a `user` text. A host may replace each by its own.

`{name}` is a place that is filled in, once: what is put there is never read for places again.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Self, TypeAlias

from pydantic import AfterValidator, Field, JsonValue, ValidationError
from pydantic_core import to_json

from earwitness import Record
from earwitness.errors import SettingsError, did_you_mean
from earwitness.loading.files import read_toml
from earwitness.loading.located import Located
from earwitness.patterns import lazy_pattern

from .records import ChatMessage

OURS = Path(__file__).parents[1] / "prompts"
"""The folder with the prompts that ship."""
PLACE = lazy_pattern(r"\{([a-z_]+)\}")


def _with_words(text: str) -> str:
    if not text.strip():
        raise ValueError("the text is empty")
    return text


PromptText: TypeAlias = Annotated[str, AfterValidator(_with_words)]


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
            raise file.explain(error, _PromptFile) from error
        if path.parent != OURS and (OURS / path.name).exists():
            _check_places(file, text, _PromptFile.model_validate(read_toml(OURS / path.name, SettingsError).value))
        digest = hashlib.sha256(f"{text.system}\n{text.user}".encode()).hexdigest()[:8]
        return cls(name=name, version=f"{text.version} ({digest})", system=text.system, user=text.user)


class _PromptFile(Record):
    version: Annotated[int, Field(ge=1)]
    system: PromptText
    user: PromptText


def check_prompts(folder: Path) -> None:
    """Refuse a folder of prompts of which one could not be used. Raises `SettingsError`."""
    if not folder.is_dir():
        raise SettingsError(f"the folder {str(folder)!r} with your prompts does not exist ([model] prompts).")
    ours = {each.stem for each in OURS.glob("*.toml")}
    for path in sorted(folder.glob("*.toml")):
        if path.stem in ours:
            ModelPrompt.load(path.stem, folder)
        elif meant := did_you_mean(path.stem, ours):  # other names may be those of other packages
            raise SettingsError(f"{path}: it replaces no prompt. Ours: {', '.join(sorted(ours))}.{meant}")


def _check_places(file: Located, own: _PromptFile, ours: _PromptFile) -> None:
    """Refuse a host's prompt with a place that nothing fills, or without the one of the material."""
    system, user = set(PLACE.findall(ours.system)), set(PLACE.findall(ours.user))
    allowed = sorted(system | user)
    named = ", ".join(f"{{{each}}}" for each in allowed)
    for part, text in (("system", own.system), ("user", own.user)):
        for place in PLACE.findall(text):
            if place not in allowed:
                wrong = f"{part} holds {{{place}}}. Its places: {named}.{did_you_mean(place, allowed)}"
                raise file.error((part,), wrong)
    for place in sorted(user - system - set(PLACE.findall(own.user))):
        raise file.error(("user",), f"user lacks {{{place}}}, the place for what the model is asked about.")


def _files(name: str, folder: Path | None) -> tuple[Path, ...]:
    return (*((folder / f"{name}.toml",) if folder else ()), OURS / f"{name}.toml")


def fenced(material: JsonValue) -> str:
    """Material as JSON between tags that it cannot close: it has no `<`, and the tags carry its digest."""
    text = to_json(material).decode().replace("<", "\\u003c").replace(">", "\\u003e")
    mark = hashlib.sha256(text.encode()).hexdigest()[:12]
    return f"<data-{mark}>\n{text}\n</data-{mark}>"
