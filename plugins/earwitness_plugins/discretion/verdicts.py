"""What a model is shown of a recall, and what of its verdicts counts. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, JsonValue

from earwitness.checks import CheckAnswer, CheckEvent
from earwitness.ids import PREFIXES
from earwitness.start.recalled import Recalled
from earwitness_relationships.privacy.discretion import listeners, name_of, note

from ..models.scene import LooseText, one_line, shortened
from ..models.verdicts import by_label, listed_by_label, spelled

REASON = "better kept to oneself here"
"""Why a memory must not be said that a model marks. The model's own words are in the report, and in no prompt."""
LONGEST_MEMORY = 1_200
"""Characters of one memory that a model is shown."""
DiscretionVerdict = Literal["say", "use silently", "keep"]
SYNONYMS: Mapping[str, DiscretionVerdict] = {
    "say": "say",
    "use": "use silently",
    "silent": "use silently",
    "silently": "use silently",
    "use silently": "use silently",
    "keep": "keep",
    "withhold": "keep",
}


class MemoryVerdict(BaseModel):
    """What a model says of one memory."""

    label: str
    """The memory's label."""
    verdict: Annotated[DiscretionVerdict, BeforeValidator(spelled(SYNONYMS))]
    """What to do with it."""
    why: LooseText = ""
    """Why."""


class DiscretionProposal(BaseModel):
    """The answer about one recall."""

    memories: Annotated[list[MemoryVerdict], BeforeValidator(listed_by_label)]
    """A verdict for each memory."""


def asked_about(memories: Sequence[Recalled], most: int) -> dict[str, Recalled]:
    """Label → memory. What is permanent and a personality's own canon are withheld nowhere, so nobody asks about it."""
    open_to_question = [each for each in memories if not each.memory.permanent and not _is_canon(each)]
    best = {each.memory.id for each in sorted(open_to_question, key=lambda each: -each.score)[:most]}
    asked = [each for each in open_to_question if each.memory.id in best]
    return {f"m{number}": each for number, each in enumerate(asked, 1)}


def _is_canon(recalled: Recalled) -> bool:
    return recalled.memory.container.startswith(PREFIXES["global_canon"])


def material(event: CheckEvent, asked: Mapping[str, Recalled]) -> dict[str, JsonValue]:
    """Who speaks where to whom about what, and each memory with how it was learned."""
    heard_by: list[JsonValue] = [name_of(event, id) for id in listeners(event)]
    return {
        "character": event.cast[event.character].name,
        "speaking_in": str(event.channel),
        "listening": heard_by,
        "situation": shortened(event.query),
        "memories": [_memory(label, each, event) for label, each in asked.items()],
    }


def _memory(label: str, recalled: Recalled, event: CheckEvent) -> JsonValue:
    text = " ".join(recalled.text.split())
    metadata = recalled.memory.metadata
    return {
        "label": label,
        "text": text if len(text) <= LONGEST_MEMORY else f"{text[:LONGEST_MEMORY]} […]",
        "learned": recalled.learned.words(event.cast.name_of),
        "learned_in": str(metadata.get("contextType", "private_channel")).replace("_", " "),
        "who_knows_it": [event.cast.name_of(id) for id in _participants(metadata) if id in event.cast],
        "not_to_be_said": not recalled.sayable,
    }


def _participants(metadata: Mapping[str, Any]) -> list[str]:
    found = metadata.get("participants")
    return [each for each in found if isinstance(each, str)] if isinstance(found, list | tuple) else []


def believed(
    event: CheckEvent, asked: Mapping[str, Recalled], verdicts: Sequence[MemoryVerdict], notes: list[str]
) -> CheckAnswer:
    """What to leave out and what to mark. Of two verdicts on a memory the stricter counts; unknown labels are noted."""
    found = by_label(verdicts, asked, notes, ("say", "use silently", "keep"))
    kept = {label: each for label, each in found.items() if each.verdict == "keep"}
    silent = {label: each for label, each in found.items() if each.verdict == "use silently"}
    for what, those in (("keeps", kept), ("uses silently", silent)):
        notes += [
            f"{what} {asked[label].memory.id}: {one_line(each.why) or 'no reason'}" for label, each in those.items()
        ]
    if missing := [asked[label].memory.id for label in asked if label not in found]:
        notes.append(f"said nothing of {len(missing)} of {len(asked)} memories; they stay as they were")
    return CheckAnswer(
        withhold=tuple(asked[label].memory.id for label in kept),
        unsayable={asked[label].memory.id: REASON for label in silent},
        note=note(event),
    )
