"""MIDDLE: puts memories into the prompt, in place of the placeholder and nowhere else. Pure functions.

Filled are a plain string, which is a system prompt; messages with the role `system` or `developer`, or a role that the
host names; and a single message. Placeholders in text that was said in the story are left alone, wherever the text is
quoted. A prompt without a placeholder receives no memories.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from ..errors import InputError, WallError, quoted
from ..formats import PLACEHOLDERS
from ..loading.settings import FillSettings
from ..start.recalled import OWN, Recalled, Section
from .lines import Labels
from .render import LABELS, render, render_section

Prompt = TypeVar("Prompt", str, Mapping[str, Any], Sequence[Mapping[str, Any]])
SYSTEM_ROLES = ("system", "developer")


def fill(
    prompt: Prompt,
    memories: Sequence[Recalled],
    settings: FillSettings,
    notes: Sequence[str] = (),
    *,
    sections: Sequence[Section] = (OWN,),
    labels: Labels = LABELS,
    roles: Collection[str] = SYSTEM_ROLES,
    messages: Collection[str] = (),
) -> Prompt:
    """Replace the placeholders in text of these roles by memories.

    The prompt is a string (a system prompt), a list of messages with `role` and `content` (text, or a list of parts
    with `text`), or one such message. `messages` were said in the story; placeholders in them are not replaced.
    `labels` say how characters and days are shown.
    Raises `WallError` for memories that do not come from a recall, because backstage records never reach a character,
    and `InputError` for any other kind of prompt.
    """
    for memory in memories:
        if not isinstance(memory, Recalled):
            raise WallError(
                f"{type(memory).__name__} cannot be filled into a prompt: only what a turn recalled can. "
                "Backstage records hold what no character may see."
            )
    filler = _Filler(_blocks(memories, settings, notes, sections, labels), messages)
    if isinstance(prompt, str):
        return filler.text(prompt)
    if isinstance(prompt, Mapping):
        return filler.message(_one_message(prompt))  # type: ignore[return-value]
    filled = {each.casefold() for each in roles}
    return [filler.message(each) if _role(each) in filled else each for each in _messages(prompt)]


def _role(message: Mapping[str, Any]) -> str:
    """The role of a message, in small letters."""
    return str(message.get("role") or "").casefold()


def _one_message(prompt: Mapping[str, Any]) -> Mapping[str, Any]:
    if prompt.keys().isdisjoint(("role", "content")):
        raise _no_prompt(prompt)
    return prompt


def _messages(prompt: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    if isinstance(prompt, Sequence) and all(isinstance(message, Mapping) for message in prompt):
        return prompt
    raise _no_prompt(prompt)


def _no_prompt(given: object) -> InputError:
    return InputError(
        f"prompt {quoted(given)} must be a system prompt, a message with role and content, or a list of messages."
    )


def _blocks(
    memories: Sequence[Recalled],
    settings: FillSettings,
    notes: Sequence[str],
    sections: Sequence[Section],
    labels: Labels,
) -> dict[str, str]:
    """Placeholder → the block that replaces it."""
    apart = settings.own_placeholders
    if not settings.enabled:
        return dict.fromkeys((*PLACEHOLDERS, *settings.placeholders, *apart.values()), "")
    main = render(memories, settings, notes, sections, labels)
    own = {placeholder: render_section(memories, name, settings, labels) for name, placeholder in apart.items()}
    return {**dict.fromkeys((*PLACEHOLDERS, *settings.placeholders), main), **own}


class _Filler:
    """Replaces the placeholders that are not part of a message of the story."""

    def __init__(self, blocks: Mapping[str, str], messages: Collection[str]) -> None:
        self._blocks = blocks
        self._said = {each.strip() for each in messages if any(word in each for word in blocks)}
        self._placeholder = re.compile("|".join(map(re.escape, sorted(blocks, key=len, reverse=True))))

    def text(self, text: str, history: bool = False) -> str:
        """Fill a text by the host, which may quote messages of the story.

        If every placeholder of a block is in a quoted message, the first is the host's, except in `history`. Otherwise
        somebody who says the words around the placeholder would take everybody's memories away.
        """
        found = list(self._placeholder.finditer(text))
        free = self._free(found, text)
        if not history:
            filled = {self._blocks[each[0]] for each in free}
            first = {self._blocks[each[0]]: each for each in reversed(found)}
            free += [each for block, each in first.items() if block not in filled]
        own = {each.start() for each in free}
        return self._placeholder.sub(lambda each: self._blocks[each[0]] if each.start() in own else each[0], text)

    def _free(self, found: Sequence[re.Match[str]], text: str) -> list[re.Match[str]]:
        """Those of the placeholders that are in no quoted message."""
        # A bare placeholder that somebody said is left out: it would take the host's own away.
        quoted = (
            sorted(place for said in self._said.difference(self._blocks) for place in _places(said, text))
            if found
            else []
        )
        free, reached, at = list[re.Match[str]](), 0, 0
        for each in found:
            while at < len(quoted) and quoted[at][0] <= each.start():
                reached, at = max(reached, quoted[at][1]), at + 1
            if each.end() > reached:
                free.append(each)
        return free

    def message(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        """Fill the text of a message, or the text of its parts."""
        content, history = message.get("content"), _role(message) not in SYSTEM_ROLES
        if isinstance(content, str):
            return {**message, "content": self._unless_said(content, history)}
        if isinstance(content, Sequence):
            return {**message, "content": [self._part(part, history) for part in content]}
        return message

    def _part(self, part: Any, history: bool) -> Any:
        if isinstance(part, Mapping) and isinstance(part.get("text"), str):
            return {**part, "text": self._unless_said(part["text"], history)}
        return part

    def _unless_said(self, text: str, history: bool) -> str:
        """`history`: the whole text may be a message of the story. System text never is."""
        return text if history and text.strip() in self._said else self.text(text, history)


def _places(said: str, text: str) -> Iterator[tuple[int, int]]:
    """Begin and end of each place where a text quotes what was said."""
    begin = text.find(said)
    while begin >= 0:
        yield begin, begin + len(said)
        begin = text.find(said, begin + len(said))
