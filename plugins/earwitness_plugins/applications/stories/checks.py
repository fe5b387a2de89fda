"""Checks of a story that a schema cannot make: ids, names, state keys, message keys."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from difflib import get_close_matches
from functools import partial
from typing import Any

from pydantic import ValidationError

from earwitness import Settings
from earwitness.errors import InputError, unknown
from earwitness.ids import WORLD, check_key, check_new_session_id
from earwitness.loading.problems import Loc, Problem, describe
from earwitness.records.character import Cast, as_cast, display_name
from earwitness.records.state import State
from earwitness.validation.messages import mask_name
from earwitness.validation.records import state_key

from .members import StoryMember
from .recovery import SOMEBODY
from .steps import (
    AddedStep,
    ArchiveStep,
    ChangeStep,
    EditStep,
    ForgetStep,
    JoinStep,
    PrepareStep,
    RememberStep,
    RerollStep,
    RetractStep,
    SayStep,
    StoryStep,
    TellStep,
    UnmaskStep,
)
from .story import Story

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
    before = list(story.cast)
    for number, step in enumerate(story.steps):
        for place, member in enumerate(step.members if isinstance(step, JoinStep) else ()):
            found += _member_problems(("steps", number, "join", "members", place), member, before, steps)
            before.append(member)
        if isinstance(step, ForgetStep):  # who joins again is a newcomer
            before = [each for each in before if each.id != step.character]
    return found


def other_problems(story: Story, somebody_joins: bool = False) -> list[Problem]:
    """Unknown characters and state keys. Where part of the cast could not be read, or who joins it, no character is
    unknown in a step."""
    ids = [member.id for member in story.cast]
    if SOMEBODY in ids:
        return list(_state_problems(story))
    strangers = [Problem(loc, str(unknown("character", id, ids))) for loc, id in _named(story) if id not in ids]
    in_steps = [] if somebody_joins else _strangers_in_steps(story, ids)
    return [*strangers, *in_steps, *_state_problems(story)]


def _strangers_in_steps(story: Story, ids: Sequence[str]) -> Iterator[Problem]:
    """Characters named in steps who are not in the cast then."""
    here = [*ids]
    joining = {*ids, *(each.id for step in story.steps if isinstance(step, JoinStep) for each in step.members)}
    for number, step in enumerate(story.steps):
        for loc, id in _named_in(number, step):
            if id not in here:
                when = "is not in the cast at this step: a `join` comes later, or a `forget` before"
                yield Problem(loc, f"{id!r} {when}." if id in joining else str(unknown("character", id, here)))
        if isinstance(step, JoinStep):
            here += [member.id for member in step.members]
        if isinstance(step, ForgetStep):
            here = [id for id in here if id != step.character]


def key_problems(story: Story, unread: Collection[str] = ()) -> list[Problem]:
    """Keys that name two messages, or no earlier message. `unread` are keys of steps that could not be read."""
    found: list[Problem] = []
    named: set[str] = set()
    for number, step in enumerate(story.steps):
        loc: Loc = ("steps", number, step.kind, "key")
        if isinstance(step, SayStep | RememberStep) and step.key is not None:
            found += _say_problems(loc, step.key, named)
            named.add(step.key)
        if isinstance(step, TellStep | RememberStep | ArchiveStep):
            field, grounds = _grounds(step)
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


def added_problems(story: Story) -> list[Problem]:
    """Steps of packages that cannot follow those before them."""
    added = [(number, step) for number, step in enumerate(story.steps) if isinstance(step, AddedStep)]
    before = [step.step for _, step in added]
    said = ((number, step.name, step.step.problem(before[:place])) for place, (number, step) in enumerate(added))
    return [Problem(("steps", number, name), why) for number, name, why in said if why is not None]


def table_problems(story: Story, settings: Settings) -> list[Problem]:
    """Steps of packages that need a table which these settings do not have."""
    added = [(number, step) for number, step in enumerate(story.steps) if isinstance(step, AddedStep)]
    needed = ((number, step.name, step.step.table) for number, step in added)
    return [
        Problem(("steps", number, name), f"{name!r} needs the settings table [{table}]; it may be empty.")
        for number, name, table in needed
        if table is not None and getattr(settings, table, None) is None
    ]


def _grounds(step: TellStep | RememberStep | ArchiveStep) -> tuple[str, tuple[str, ...]]:
    """The field of a step that names earlier messages, and their keys."""
    match step:
        case TellStep():
            return "memory", (step.memory,)
        case RememberStep():
            return "rests_on", step.rests_on
    return "keys", step.keys


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
    joining = (each for step in story.steps if isinstance(step, JoinStep) for each in step.members)
    members = {each.id: each for each in (*story.cast, *joining)}.values()
    usable = [each for each in members if each.id != SOMEBODY and not _refused((), each.character)]
    return Cast(members=tuple(each.character() for each in usable))


# ── the cast ────────────────────────────────────────────────────────────────────────────────────────────────────────


def _member_problems(
    loc: Loc, member: StoryMember, before: Collection[StoryMember], steps: Collection[str]
) -> list[Problem]:
    found = _refused(loc, lambda: _check_newcomer(member, before))
    if found or not (why := _taken(member, before, steps)):
        return found
    return [Problem(loc, why)]


def _check_newcomer(member: StoryMember, before: Iterable[StoryMember]) -> None:
    """Raise `InputError` if the member may not join, or looks like one of those before."""
    character = member.character()
    character.check_newcomer()
    usable = [each for each in before if each.id != SOMEBODY and not _refused((), each.character)]
    as_cast([*(each.character() for each in usable if each.id != member.id), character]).check_look(character)


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


NAMING = ("speaker", "character", "characters", "present", "audience", "members", "teller", "listener")
"""Fields of steps that name characters."""


def _named_in(number: int, step: StoryStep) -> Iterator[tuple[Loc, str]]:
    """Every place in a step where a character is named, with the id."""
    if isinstance(step, AddedStep):
        yield from ((("steps", number, "added"), id) for id in step.step.characters)
    elif isinstance(step, PrepareStep):
        for field in ("cards", "examples"):
            yield from ((("steps", number, "prepare", field, id), id) for id in getattr(step, field))
        for place, entry in enumerate(step.lore):
            yield from ((("steps", number, "prepare", "lore", place, "known_by"), id) for id in entry.known_by or ())
    elif not isinstance(step, JoinStep):
        for field in NAMING:
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
