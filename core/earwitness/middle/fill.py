"""MIDDLE: memories into the system prompt, at the placeholder, and nowhere else. Pure.

Only system text is filled: a plain string, or messages whose role is `system` or `developer`. Users' text and history
stay as they are, placeholder and all. Without a placeholder there are no memories.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from ..errors import InputError, WallError, quoted
from ..formats import BLOCK_CLOSE, BLOCK_OPEN, PLACEHOLDERS, harmless_block
from ..loading.settings import FillSettings
from ..start.recalled import Recalled

Prompt = TypeVar("Prompt", str, Sequence[Mapping[str, Any]])
SYSTEM_ROLES = ("system", "developer")


def fill(prompt: Prompt, memories: Sequence[Recalled], settings: FillSettings, notes: Sequence[str] = ()) -> Prompt:
    """The prompt with memories where a placeholder stands in system text.

    A string is a system prompt; otherwise messages with `role` and `content` (text, or a list of parts with `text`).
    Raises `WallError` for anything but what a recall brought back: backstage records never reach a character;
    `InputError` for a prompt that is neither.
    """
    for memory in memories:
        if not isinstance(memory, Recalled):
            raise WallError(
                f"{type(memory).__name__} cannot be filled into a prompt: only what a turn recalled can. "
                "Backstage records hold what no character may see."
            )
    block = render(memories, settings, notes) if settings.enabled else ""
    pattern = _pattern(settings.placeholders)
    if isinstance(prompt, str):
        return pattern.sub(lambda _: block, prompt)
    return [_filled(message, pattern, block) for message in _messages(prompt)]


def _messages(prompt: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    if isinstance(prompt, Sequence) and all(isinstance(message, Mapping) for message in prompt):
        return prompt
    raise InputError(f"prompt {quoted(prompt)} must be a system prompt, or a list of messages with role and content.")


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


def _pattern(extra: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(re.escape(placeholder) for placeholder in (*PLACEHOLDERS, *extra)))


def _filled(message: Mapping[str, Any], pattern: re.Pattern[str], block: str) -> Mapping[str, Any]:
    if message.get("role") not in SYSTEM_ROLES:
        return message
    content = message.get("content")
    if isinstance(content, str):
        return {**message, "content": pattern.sub(lambda _: block, content)}
    if isinstance(content, Sequence):
        return {**message, "content": [_part(part, pattern, block) for part in content]}
    return message


def _part(part: Any, pattern: re.Pattern[str], block: str) -> Any:
    if isinstance(part, Mapping) and isinstance(part.get("text"), str):
        return {**part, "text": pattern.sub(lambda _: block, part["text"])}
    return part
