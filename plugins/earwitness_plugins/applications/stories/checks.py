"""Checks of a story that a schema cannot make: ids, names, state keys, message keys."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from difflib import get_close_matches
from functools import partial
from typing import Any

from pydantic import ValidationError

from earwitness.errors import InputError, unknown
from earwitness.ids import WORLD, check_key, check_new_session_id
from earwitness.loading.problems import Loc, Problem, describe
from earwitness.records.character import Cast, display_name
from earwitness.records.state import State
from earwitness.validation.messages import mask_name
from earwitness.validation.records import state_key

from .recovery import SOMEBODY
from .story import (
    AddedStep,
    ChangeStep,
    EditStep,
    RememberStep,
    RerollStep,
    RetractStep,
    SayStep,
    Story,
    StoryMember,
    TellStep,
    UnmaskStep,
)

NEAR_MISS = 0.85
# Keys that look like typed ones. As keys of the author's own they would have no effect.
MEANT = {
    "day": "game_day",
    "gametime": "game_day",
    "scene": "current_scene",
    "place": "current_scene",
    "location": "current_scene",
}


def cast_problems(story: Story, steps: Collection[str]) -> list[Problem]:
    """Ids and names that cannot be used. `steps` are the words that begin a step."""
    found = _refused(("story",), lambda: check_new_session_id(story.story))
    read = [(number, member) for number, member in enumerate(story.cast) if member.id != SOMEBODY]
    for number, member in read:
        found += _member_problems(("cast", number), member, story.cast[:number], steps)
    return found


def other_problems(story: Story) -> list[Problem]:
    """Unknown characters and state keys. Where part of the cast could not be read, no character is unknown."""
    ids = [member.id for member in story.cast]
    if SOMEBODY in ids:
        return list(_state_problems(story))
    strangers = [Problem(loc, str(unknown("character", id, ids))) for loc, id in _named(story) if id not in ids]
    return [*strangers, *_state_problems(story)]


def key_problems(story: Story, unread: Collection[str] = ()) -> list[Problem]:
    """Keys that name two messages, or no earlier message. `unread` are keys of steps that could not be read."""
    found: list[Problem] = []
    named: set[str] = set()
    for number, step in enumerate(story.steps):
        loc: Loc = ("steps", number, step.kind, "key")
        if isinstance(step, SayStep | RememberStep) and step.key is not None:
            found += _say_problems(loc, step.key, named)
            named.add(step.key)
        if isinstance(step, TellStep | RememberStep):
            field, grounds = ("memory", (step.memory,)) if isinstance(step, TellStep) else ("rests_on", step.rests_on)
            strange = (key for key in grounds if key not in {*named, *unread})
            where: Loc = ("steps", number, step.kind, field)
            found += [Problem(where, str(unknown("message", key, named))) for key in strange]
        elif (
            isinstance(step, EditStep | RerollStep | RetractStep)
            and step.key is not None
            and step.key not in {*named, *unread}
        ):
            found.append(Problem(loc, str(unknown("message", step.key, named))))
    return found


def mask_problems(story: Story) -> list[Problem]:
    """Names that nobody may speak under; unmaskings of those who did not speak in disguise, or not under that name."""
    found: list[Problem] = []
    worn: dict[str, list[str]] = {}
    cast = _cast(story)
    for number, step in enumerate(story.steps):
        if isinstance(step, SayStep) and step.speak_as is not None:
            check = partial(mask_name, cast, step.speaker, step.speak_as)
            found += _refused(("steps", number, "say", "speak_as"), check)
            worn.setdefault(step.speaker, []).append(" ".join(step.speak_as.split()))
        if isinstance(step, UnmaskStep) and (step.name or "") not in ["", *worn.get(step.character, ())]:
            problem = str(unknown(f"disguise of {step.character}", step.name, worn.get(step.character, ())))
            found.append(Problem(("steps", number, "unmask", "name"), problem))
        elif isinstance(step, UnmaskStep) and step.character not in worn:
            why = f"{step.character!r} has not spoken in disguise before. Give an earlier say speak_as: NAME."
            found.append(Problem(("steps", number, "unmask", "character"), why))
    return found


def _refused(loc: Loc, check: Callable[[], object]) -> list[Problem]:
    try:
        check()
    except ValidationError as invalid:
        return [Problem(loc, describe(invalid.errors()[0], State))]
    except InputError as error:
        return [Problem(loc, str(error))]
    return []


def _cast(story: Story) -> Cast:
    """The cast, without members that cannot be used."""
    usable = [each for each in story.cast if each.id != SOMEBODY and not _refused((), each.character)]
    return Cast(members=tuple(each.character() for each in usable))


# ── the cast ────────────────────────────────────────────────────────────────────────────────────────────────────────


def _member_problems(
    loc: Loc, member: StoryMember, before: Collection[StoryMember], steps: Collection[str]
) -> list[Problem]:
    found = _refused(loc, lambda: member.character().check_newcomer())
    if found or not (why := _taken(member, before, steps)):
        return found
    return [Problem(loc, why)]


def _taken(member: StoryMember, before: Collection[StoryMember], steps: Collection[str]) -> str | None:
    """Why this id or name is taken; `None` if it is free."""
    id, name = member.id, _name(member)
    if id in steps:
        return f"character {id!r} is the name of a step. Choose another id."
    for other in before:
        if other.id == id:
            return f"character {id!r} is in the cast twice. Choose another id."
        if other.id.casefold() == id.casefold():
            return f"character {id!r} differs from {other.id!r} only in letter case. Choose another id."
        if _name(other).casefold() == name.casefold():
            return f"character {id!r} is called {name!r}, and so is {other.id!r}. Give one of them another name."
    return None


def _name(member: StoryMember) -> str:
    return member.name or display_name(member.id)


# ── who is named ────────────────────────────────────────────────────────────────────────────────────────────────────


def _named(story: Story) -> Iterator[tuple[Loc, str]]:
    """Every place where a character is named, with the id."""
    yield from ((("present", number), id) for number, id in enumerate(story.present or ()))
    yield from ((("prepare", "cards", id), id) for id in story.prepare.cards)
    yield from ((("prepare", "examples", id), id) for id in story.prepare.examples)
    for number, entry in enumerate(story.prepare.lore):
        yield from ((("prepare", "lore", number, "known_by"), id) for id in entry.known_by or ())
    for number, step in enumerate(story.steps):
        if isinstance(step, AddedStep):
            yield from ((("steps", number, "added"), id) for id in step.step.characters)
            continue
        for field in ("speaker", "character", "characters", "present", "audience", "members", "teller", "listener"):
            yield from ((("steps", number, step.kind, field), id) for id in _ids(getattr(step, field, None)))


def _ids(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return () if value in {"present", "public", WORLD} else (value,)
    return value if isinstance(value, tuple) else ()


# ── the state ───────────────────────────────────────────────────────────────────────────────────────────────────────


def _state_problems(story: Story) -> Iterator[Problem]:
    yield from _state_values(("state",), story.state)
    for number, step in enumerate(story.steps):
        if isinstance(step, ChangeStep):
            yield from _state_values(("steps", number, "change"), step.changes)


def _state_values(loc: Loc, values: dict[str, Any]) -> Iterator[Problem]:
    for key, value in values.items():
        if meant := _meant(key):
            why = f"unknown state key {key!r}. Did you mean {meant!r}? A key of your own needs another name."
            yield Problem((*loc, key), why)
        else:
            yield from _refused((*loc, key), partial(State().updated, {state_key(key): value}))


def _meant(key: str) -> str | None:
    """The typed state key that was probably meant."""
    if state_key(key) in State.model_fields:
        return None
    plain = key.replace("_", "").casefold()
    typed = {name.replace("_", ""): name for name in State.model_fields}
    close = get_close_matches(plain, typed, n=1, cutoff=NEAR_MISS)
    return MEANT.get(plain) or (typed[close[0]] if close else None)


# ── keys ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _say_problems(loc: Loc, key: str, named: Collection[str]) -> list[Problem]:
    if key in named:
        return [Problem(loc, f"the key {key!r} names an earlier message. Choose another.")]
    return _refused(loc, lambda: check_key(key))
