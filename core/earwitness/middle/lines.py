"""MIDDLE: a memory in a line or two, by the templates of the settings. Pure functions.

A memory's text is put into one line, and each line begins as its template says. So no text passes for another memory,
for news or for a mark.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from ..formats import day_of, parts_of, said_by
from ..loading.settings import TEMPLATE_FIELD, MemoryTemplates
from ..records.memory import Memory
from ..records.memory_types import MESSAGE, UPDATE_TYPES
from ..sentences import without_marks
from ..start.recalled import Recalled

NOTE = "note"
"""The type of what is not a message, and has none of its own."""
SOMEBODY = "somebody"
SOME_DAY = "some day"


@dataclass(frozen=True, slots=True)
class Labels:
    """How a prompt shows characters and days."""

    name: Callable[[str], str] = str
    """Character id → name."""
    day: Callable[[float], str] = str
    """Game day → words, such as `day 6`."""


def lines_of(recalled: Recalled, templates: MemoryTemplates, labels: Labels) -> str:
    """The memory: what was said, by whom, on which day, and from whom it was learned. News follow, a line each."""
    memory, text = recalled.memory, recalled.text if recalled.excerpt is not None else without_marks(recalled.text)
    parts = parts_of(text, *_names(memory, labels))
    name, words = (parts.name, parts.text) if parts.name is not None else _as_said(memory, parts.text, labels)
    name = None if name is None else _shown(name)
    said = [] if not parts.text else [_worded(recalled, words, name, templates, labels)]
    news = [_news(line, memory, templates, labels) for line in parts.knowledge if line.strip()]
    return "\n".join([*said, *news])


def _as_said(memory: Memory, text: str, labels: Labels) -> tuple[str | None, str]:
    """Who said what a shared memory tells, such as one in a pantheon's hub, and the words; nobody for what is none."""
    is_told = memory.type != MESSAGE and isinstance(memory.metadata.get("speaker"), str)
    name, separator, words = said_by(text, *_names(memory, labels)) if is_told else ("", "", text)
    return (name, words) if separator else (None, text)


def filled(template: str, fields: Mapping[str, str]) -> str:
    """The template with its fields filled in. The text of a field is not filled again."""
    return TEMPLATE_FIELD.sub(lambda field: fields.get(field[1], field[0]), template)


def one_line(text: str) -> str:
    """The text in one line."""
    return " ".join(text.split())


def _worded(recalled: Recalled, text: str, speaker: str | None, templates: MemoryTemplates, labels: Labels) -> str:
    memory, learned = recalled.memory, recalled.learned
    if speaker is None and memory.type in UPDATE_TYPES:
        return _news(text, memory, templates, labels)
    fields = {
        "text": one_line(text),
        "speaker": SOMEBODY if speaker is None else speaker,
        "day": _day(memory.game_day, labels),
        "learned": _day(memory.learned_day, labels),
        "teller": _name(learned.teller, labels) or SOMEBODY.capitalize(),
        "type": one_line(NOTE if memory.type == MESSAGE else memory.type.replace("_", " ")).capitalize(),
    }
    return filled(_template(templates, recalled, is_message=speaker is not None), fields)


def _template(templates: MemoryTemplates, recalled: Recalled, *, is_message: bool) -> str:
    match recalled.learned.way:
        case "told":
            return templates.told if is_message else templates.passed_on
        case "before":
            return templates.before
        case "said" | "heard" | "witnessed" as way if is_message:
            return str(getattr(templates, way))
        case "witnessed":
            return templates.seen
    return templates.heard if is_message else templates.noted


def _news(line: str, memory: Memory, templates: MemoryTemplates, labels: Labels) -> str:
    text, day = day_of(line)
    when = _day(memory.game_day if day is None else day, labels)
    return filled(templates.news, {"text": one_line(text.removeprefix("Message: ")), "day": when})


def _names(memory: Memory, labels: Labels) -> Iterator[str]:
    """The names under which the message of a memory may be stored: the speaker's own, with the mask it was said in."""
    if isinstance(speaker := memory.metadata.get("speaker"), str):
        yield (name := labels.name(speaker))
        if isinstance(mask := memory.metadata.get("speakAs"), str):
            yield f"{name} (as {mask})"


def _name(id: object, labels: Labels) -> str:
    return _shown(labels.name(id)) if isinstance(id, str) else ""


def _shown(name: str) -> str:
    """The name in one line, without colons: only ours end a name. Stories of older versions have such names."""
    return one_line(name.replace(":", " "))


def _day(day: float | None, labels: Labels) -> str:
    return SOME_DAY if day is None else one_line(labels.day(day))
