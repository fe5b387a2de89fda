"""A moment of a story as a language model is shown it, and the names in its answers as members of the cast. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, Field, JsonValue, model_validator

from earwitness.records.character import Cast, Character
from earwitness.records.message import Message
from earwitness.records.moment import Moment
from earwitness.records.state import Whereabouts

T = TypeVar("T")
RECENT = 3
"""So many messages before this one are shown."""
LONGEST_TEXT = 6_000
"""Characters of one message that are shown: its beginning and its end."""
LONGEST_NOTE = 200
"""Characters of what a model says in its own words that are kept."""
MOST_NOTES = 12
"""So many notes go with an answer."""
UNSAID = 0.6
"""The confidence of somebody who is named without any."""


def scene(moment: Moment) -> dict[str, JsonValue]:
    """The cast, the state, where everybody is, the messages before, and the message; not the host's word on it."""
    state = moment.state
    kept = {"place": moment.message.scene, "time_of_day": state.time_of_day, "quest": state.quest}
    return {
        "game_day": moment.day,
        "state": {key: str(each) for key, each in kept.items() if each},
        "cast": [_member(each, moment.disguises) for each in moment.cast],
        "whereabouts": {id: _where(where) for id, where in moment.whereabouts.items() if id in moment.cast},
        "recent_messages": [_said(each, moment.cast_at(each)) for each in moment.recent[-RECENT:]],
        "message": _said(moment.message, moment.cast),
    }


def _member(character: Character, disguises: Mapping[str, str]) -> JsonValue:
    """Of somebody in disguise, the mask alone: their own name is then an alias."""
    aliases: list[JsonValue] = [] if character.id in disguises else [*character.aliases]
    return {"id": character.id, "name": character.name, "aliases": aliases}


def _said(message: Message, cast: Cast) -> JsonValue:
    return {"speaker": message.speaker, "name": cast.name_of(message.speaker), "text": shortened(message.content)}


def _where(where: Whereabouts) -> JsonValue:
    return {"here": where.here, "place": where.place or "", "condition": where.condition}


def shortened(text: str) -> str:
    """A text without its middle, where it is very long."""
    half = LONGEST_TEXT // 2
    return text if len(text) <= LONGEST_TEXT else f"{text[:half]} […] {text[-half:]}"


def one_line(text: str) -> str:
    """What a model says in its own words, as reports keep it."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_NOTE else f"{line[: LONGEST_NOTE - 1]}…"


def noted(notes: Iterable[str]) -> tuple[str, ...]:
    """Notes as an answer carries them: each once, and no flood."""
    each = [one_line(note) for note in dict.fromkeys(notes)]
    more = [f"… and {len(each) - MOST_NOTES} more"] if len(each) > MOST_NOTES else []
    return (*each[:MOST_NOTES], *more)


# ── names in answers ────────────────────────────────────────────────────────────────────────────────────────────────


def as_confidence(given: object) -> object:
    """A number from 0 to 1, of `0.9`, `90`, `"90 %"`."""
    if isinstance(given, str):
        number = given.strip().rstrip("%").strip()
        given = float(number) / (100 if "%" in given else 1)
    if isinstance(given, int | float) and not isinstance(given, bool) and 1 < given <= 100:
        return given / 100
    return given


def _joined(given: object) -> object:
    return "; ".join(map(str, given)) if isinstance(given, list) else "" if given is None else given


LooseText = Annotated[str, BeforeValidator(_joined)]
"""Text; of a list, its parts."""


class NamedListener(BaseModel):
    """Somebody whom a model takes to perceive a message."""

    name: str
    """Id, name or alias."""
    confidence: Annotated[float, BeforeValidator(as_confidence), Field(ge=0, le=1)] = UNSAID
    """How sure it is."""
    evidence: LooseText = ""
    """Why."""

    @model_validator(mode="before")
    @classmethod
    def _bare_name(cls, given: object) -> object:
        return {"name": given} if isinstance(given, str) else given


def listed(given: object) -> object:
    """A table by name as a list of tables: models give the one for the other."""
    if not isinstance(given, Mapping):
        return given
    if "name" in given:
        return [given]
    return [{"name": name, **(each if isinstance(each, Mapping) else _bare(each))} for name, each in given.items()]


def _bare(each: Any) -> dict[str, Any]:
    return {"confidence": each} if isinstance(each, int | float | str) else {}


def resolved_names(named: Iterable[T], name_of: Callable[[T], str], cast: Cast, notes: list[str]) -> dict[str, T]:
    """By character id, what was said of each. Unknown, ambiguous and repeated names are left out, and noted."""
    found: dict[str, T] = {}
    for each in named:
        member = cast.resolve(name_of(each))
        if member is None:
            notes.append(f"named {one_line(name_of(each))!r}, who is not in the cast; ignored")
        elif member.id in found:
            notes.append(f"named {member.id!r} twice, as {one_line(name_of(each))!r}; the first counts")
        else:
            found[member.id] = each
    return found
