"""What a language model says of who perceives a message, as far as it may be believed. Pure.

The word of the rules is law in four things: movements, the pieces of a message and whom each is for, whom a whisper, a
thought or a direct message shuts out, and who is elsewhere or gone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated

from pydantic import BaseModel, BeforeValidator

from earwitness.end.settle import may_be_added, said_at
from earwitness.records.moment import Moment, Perceived, Presence

from ..models.scene import NamedListener, listed, one_line, resolved_names

UNNAMED = 0.05
"""The probability of whoever a model does not name."""
ADMITTED = 0.5
"""With this probability, the rules let somebody perceive a message."""


class PresenceProposal(BaseModel):
    """The answer to one message."""

    participants: Annotated[list[NamedListener], BeforeValidator(listed)]
    """Who perceives it."""


def believed_presence(
    moment: Moment, ruled: Presence, named: Sequence[NamedListener], notes: list[str]
) -> Presence | None:
    """The presence by the rules with the model's probabilities; `None` where it names nobody of the cast."""
    found = resolved_names(named, lambda each: each.name, moment.cast, notes)
    if not found:
        notes.append("nobody of the cast was named")
        return None
    speaker = moment.message.speaker
    ids = [id for id in dict.fromkeys((*ruled.characters, *found)) if id != speaker and id in moment.candidates]
    may_be_named = partial(may_be_added, moment, ruled, places=said_at(moment, ruled))
    believed = {id: _believed(id, ruled, found, notes, may_be_named) for id in ids}
    characters = {speaker: ruled.characters[speaker], **believed}
    return ruled.model_copy(update={"characters": characters})


def _believed(
    id: str,
    ruled: Presence,
    named: Mapping[str, NamedListener],
    notes: list[str],
    may_be_named: Callable[[str], bool],
) -> Perceived:
    before = ruled.characters.get(id) or Perceived(probability=0, role="present")
    said = named.get(id)
    probability = said.confidence if said else UNNAMED
    is_open = before.probability >= ADMITTED or may_be_named(id)
    if not is_open and probability > before.probability:
        notes.append(f"named {id!r}, who cannot perceive it; the rules' word stands")
        return before
    why = f"language model: {one_line(said.evidence) or 'named'}" if said else "language model: not named"
    role = "present" if said and before.role in ("absent", "mentioned") else before.role
    return Perceived(probability=probability, role=role, evidence=(why, *before.evidence))
