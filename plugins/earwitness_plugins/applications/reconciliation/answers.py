"""What a model is shown of one character's memories of a bubble, and what of its answer counts. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, JsonValue

from earwitness.formats import as_said
from earwitness_relationships.canon.records import KeepAs, KeptMemory

from ...models.scene import LooseText, one_line, shortened
from ...models.verdicts import by_label, listed_by_label, spelled

LEAST_ROOM = 240
"""Characters of other words: twice those of the memory, and at least so many."""
SYNONYMS = {"keep personal": "personal", "leave": "discard", "drop": "discard", "none": "discard"}


def _labels(given: object) -> object:
    if isinstance(given, str):
        return given.replace(",", " ").split()
    return [str(each) for each in given] if isinstance(given, list) else []


class MemoryProposal(BaseModel):
    """What a model proposes for one memory."""

    label: str
    """The memory's label."""
    verdict: Annotated[Literal["personal", "global", "discard"], BeforeValidator(spelled(SYNONYMS))]
    """What becomes of it."""
    mode: Annotated[Literal["append", "replace"], BeforeValidator(spelled({}))] = "append"
    """Whether it stands beside what contradicts it."""
    conflicts: Annotated[list[str], BeforeValidator(_labels)] = []
    """Labels of what contradicts it."""
    text: LooseText = ""
    """Other words for it."""
    why: LooseText = ""
    """Why."""


class ReconciliationProposal(BaseModel):
    """The answer about one character."""

    memories: Annotated[list[MemoryProposal], BeforeValidator(listed_by_label)]
    """A proposal for each memory."""


@dataclass(frozen=True, slots=True)
class OpenMemory:
    """A memory of a bubble that could be kept, in one way or in several."""

    ways: Mapping[KeepAs, KeptMemory]
    """Where it could go → what reconciliation would do."""

    @property
    def any(self) -> KeptMemory:
        """One of the ways: its id, owner and text are the same in all."""
        return next(iter(self.ways.values()))


@dataclass(frozen=True, slots=True)
class WantedKeeping:
    """What a model wants kept, as far as it can be."""

    kept: KeptMemory
    """The memory, as reconciliation would keep it."""
    keep_as: KeepAs
    """Where it goes."""
    mode: Literal["append", "replace"]
    """What becomes of other versions."""
    text: str
    """Other words for it; empty = its own."""
    conflicts: tuple[str, ...]
    """What is known outside and contradicts it, by the model's word and by the likeness of words."""
    why: str
    """Why, in the model's words."""


def material(
    character: str, bubble: str, memories: Mapping[str, OpenMemory], there: Mapping[str, str]
) -> dict[str, JsonValue]:
    """One character's memories, and what is known outside of the containers that they may go to."""
    shown: list[JsonValue] = [
        {"label": label, "text": shortened(each.any.text), "possible": [*each.ways, "discard"]}
        for label, each in memories.items()
    ]
    known: list[JsonValue] = [{"label": label, "text": one_line(text)} for label, text in there.items()]
    return {"character": character, "side_story": bubble, "memories": shown, "known_outside": known}


def believed(
    answers: Sequence[MemoryProposal],
    memories: Mapping[str, OpenMemory],
    there: Mapping[str, str],
    notes: list[str],
) -> tuple[list[WantedKeeping], dict[str, str]]:
    """What is to be kept, and why the others stay: label → reason."""
    wanted: list[WantedKeeping] = []
    stays: dict[str, str] = {}
    found = by_label(answers, memories, notes, ("global", "personal", "discard"))
    for label, memory in memories.items():
        answer = found.get(label)
        if answer is None:
            stays[label] = "the model said nothing of it"
        elif answer.verdict == "discard":
            stays[label] = one_line(answer.why) or "the model leaves it there"
        elif answer.verdict not in memory.ways:
            stays[label] = f"it cannot become {answer.verdict} canon"
        else:
            wanted.append(_wanted(answer, memory.ways[answer.verdict], there, notes))
    return wanted, stays


def _wanted(answer: MemoryProposal, kept: KeptMemory, there: Mapping[str, str], notes: list[str]) -> WantedKeeping:
    named = [each.strip("[] ").casefold() for each in answer.conflicts]
    given: dict[str, Any] = {"keep_as": answer.verdict, "mode": answer.mode, "why": one_line(answer.why)}
    conflicts = tuple(there[label] for label in dict.fromkeys(named) if label in there)
    return WantedKeeping(kept=kept, text=_words(answer.text, kept, notes), conflicts=conflicts, **given)


def _words(given: str, kept: KeptMemory, notes: list[str]) -> str:
    """Other words in one line, without a model's reasoning; empty where they are none, the same or too many."""
    text = " ".join(as_said(given).split())
    if len(text) > max(LEAST_ROOM, 2 * len(kept.text)):
        notes.append(f"kept the words of {kept.memory_id}: the model's are {len(text):,} characters long")
        return ""
    return "" if text == kept.text else text
