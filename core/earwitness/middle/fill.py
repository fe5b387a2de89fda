"""MIDDLE: memories into the prompt, at the placeholder, and nowhere else. Pure.

These are filled: a plain string, which is a system prompt; messages whose role is `system` or `developer`, or one that
the host names; and a message that is handed over by itself. What was said in the story stays as it is, placeholder and
all, wherever it is quoted. Without a placeholder there are no memories.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeVar

from ..errors import InputError, WallError, quoted
from ..formats import BLOCK_CLOSE, BLOCK_OPEN, PLACEHOLDERS, harmless_block
from ..loading.settings import FillSettings
from ..start.recalled import Recalled

Prompt = TypeVar("Prompt", str, Mapping[str, Any], Sequence[Mapping[str, Any]])
SYSTEM_ROLES = ("system", "developer")


def fill(
    prompt: Prompt,
    memories: Sequence[Recalled],
    settings: FillSettings,
    notes: Sequence[str] = (),
    *,
    roles: Collection[str] = SYSTEM_ROLES,
    messages: Collection[str] = (),
) -> Prompt:
    """The prompt with memories where a placeholder stands in text of these roles.

    A string is a system prompt; otherwise messages with `role` and `content` (text, or a list of parts with `text`), or
    one of them. `messages` are what was said in the story: a placeholder in one of them is no placeholder.
    Raises `WallError` for anything but what a recall brought back: backstage records never reach a character;
    `InputError` for a prompt that is none of these.
    """
    for memory in memories:
        if not isinstance(memory, Recalled):
            raise WallError(
                f"{type(memory).__name__} cannot be filled into a prompt: only what a turn recalled can. "
                "Backstage records hold what no character may see."
            )
    block = render(memories, settings, notes) if settings.enabled else ""
    filler = _Filler(block, (*PLACEHOLDERS, *settings.placeholders), messages)
    if isinstance(prompt, str):
        return filler.text(prompt)
    if isinstance(prompt, Mapping):
        return filler.message(prompt)  # type: ignore[return-value]
    return [filler.message(each) if each.get("role") in roles else each for each in _messages(prompt)]


def _messages(prompt: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    if isinstance(prompt, Sequence) and all(isinstance(message, Mapping) for message in prompt):
        return prompt
    raise InputError(
        f"prompt {quoted(prompt)} must be a system prompt, a message with role and content, or a list of messages."
    )


class _Filler:
    """Puts the block where a placeholder stands that nobody said."""

    def __init__(self, block: str, placeholders: Sequence[str], messages: Collection[str]) -> None:
        self._block = block
        self._placeholders = placeholders
        self._said = {
            said for each in messages if any(word in each for word in placeholders) and (said := each.strip())
        }
        quoted_first = sorted(self._said.difference(placeholders), key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, (*quoted_first, *placeholders))))

    def text(self, text: str) -> str:
        """Text of the host's, which may quote what was said."""
        return self._pattern.sub(lambda found: self._block if found[0] in self._placeholders else found[0], text)

    def message(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        """A message with its text, or the text of its parts, filled."""
        content, told = message.get("content"), message.get("role") not in SYSTEM_ROLES
        if isinstance(content, str):
            return {**message, "content": self._unless_said(content, told)}
        if isinstance(content, Sequence):
            return {**message, "content": [self._part(part, told) for part in content]}
        return message

    def _part(self, part: Any, told: bool) -> Any:
        if isinstance(part, Mapping) and isinstance(part.get("text"), str):
            return {**part, "text": self._unless_said(part["text"], told)}
        return part

    def _unless_said(self, text: str, told: bool) -> str:
        """`told`: it may be a message of the story as a whole, which system text never is."""
        return text if told and text.strip() in self._said else self.text(text)


def render(memories: Sequence[Recalled], settings: FillSettings, notes: Sequence[str] = ()) -> str:
    """The block of memories, marked so that it can be taken out again should a model repeat it."""
    if not memories and not notes:
        return ""
    text = _listed([_harmless(each.text, settings) for each in memories], settings)
    said = "".join(f"{_harmless(note, settings)}\n" for note in notes)
    block = f"{BLOCK_OPEN}\n{said}{text}\n{BLOCK_CLOSE}"
    return settings.template.replace("{memories}", block) if settings.template else block


def _harmless(text: str, settings: FillSettings) -> str:
    """Nothing in it ends our block, or is filled in its turn: a placeholder of the host's is cut by a backslash."""
    for placeholder in settings.placeholders:
        text = text.replace(placeholder, f"{placeholder[0]}\\{placeholder[1:]}")
    return harmless_block(text)


def _listed(texts: Sequence[str], settings: FillSettings) -> str:
    match settings.format:
        case "numbered":
            return "\n".join(f"{number}. {_indented(text)}" for number, text in enumerate(texts, 1))
        case "plain":
            return "\n\n".join(texts)
        case "json":
            return json.dumps(texts, ensure_ascii=False, indent=0)


def _indented(text: str) -> str:
    return text.replace("\n", "\n   ")
