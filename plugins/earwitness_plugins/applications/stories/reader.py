"""Reads a story file. All its mistakes are reported at once, with their lines, before anything is played."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from earwitness import Settings
from earwitness.errors import StoryError, StrategyError, did_you_mean
from earwitness.loading.files import read_yaml
from earwitness.loading.located import Located
from earwitness.loading.problems import Loc, Problem, describe
from earwitness.story_steps import load_step, package_steps

from .cast_list import cast_ids, read_cast
from .checks import added_problems, cast_problems, key_problems, mask_problems, other_problems, table_problems
from .members import StoryMember
from .recovery import SOMEBODY, UNREAD, readable
from .story import Story

# Each step, and the key for its short form, where it has one.
STEPS: dict[str, str | None] = {
    "say": None,
    "change": None,
    "update": None,
    "enter": "characters",
    "leave": "characters",
    "move": None,
    "channel": None,
    "join": "members",
    "forget": "character",
    "prepare": None,
    "recall": "character",
    "who_knows": "text",
    "edit": None,
    "reroll": "text",
    "retract": "key",
    "unmask": "character",
    "tell": None,
    "remember": None,
    "archive": "keys",
    "restore": "keys",
    "note": "text",
}


def step_names() -> list[str]:
    """The words that begin a step: our own, and those of installed packages."""
    return [*STEPS, *(name for name in sorted(package_steps()) if name not in STEPS)]


def read_story(path: str | Path, settings: Settings | None = None) -> Story:
    """Read and check a story file; with `settings`, also that these have the tables that its steps need.

    Raises `StoryError` that names the file, the lines and what is allowed.
    """
    return checked(read_yaml(path, StoryError), settings)


def checked(file: Located, settings: Settings | None = None) -> Story:
    """The story in a file. Arguments as `read_story`. Raises `StoryError` that lists every mistake."""
    if not isinstance(file.value, dict) or not file.value.keys() & {"story", "cast", "steps"}:
        empty = "this file is empty: " if file.value is None else ""
        raise file.error((), f"{empty}a story begins with its keys: story, cast, steps.")
    members, problems = read_cast(file.value)
    steps, unread = _steps(file, members)
    values = {
        **file.value,
        **({"cast": members} if problems else {}),
        **({"steps": steps} if "steps" in file.value else {}),
    }
    story, unreadable = _validated(file, values)
    problems += [*unread, *unreadable]
    if story is not None:
        problems += [*cast_problems(story, step_names()), *other_problems(story, _joins(unread)), *mask_problems(story)]
        problems += added_problems(story)
        problems += [] if settings is None else table_problems(story, settings)
        problems += key_problems(story, _unread_keys(file, story))
    if story is None or problems:
        raise file.refusal(problems)
    return story


def _joins(unread: Iterable[Problem]) -> bool:
    """Whether one of these is about somebody who joins."""
    return any("join" in problem.loc for problem in unread)


def _validated(file: Located, values: dict[str, Any]) -> tuple[Story | None, list[Problem]]:
    """The story, or as much of it as can be read, and the problems with the rest."""
    try:
        return Story.model_validate(values), []
    except ValidationError as invalid:
        problems = file.problems(invalid, Story)
        in_cast = {problem.loc for problem in problems if problem.loc[:1] == ("cast",)}
        empty = {("cast",)} if len(in_cast) > 1 else set()  # of a list without those who cannot be read
        return readable(values), [problem for problem in problems if problem.loc not in empty]


def _unread_keys(file: Located, story: Story) -> set[str]:
    """Keys of messages in steps that could not be read: later steps may name them."""
    given = file.value.get("steps")
    if not isinstance(given, list):
        return set()
    unread = [step for step, read in zip(given, story.steps, strict=False) if read.model_dump() == UNREAD]
    bodies = [body for step in unread if isinstance(step, dict) for body in step.values() if isinstance(body, dict)]
    return {body["key"] for body in bodies if isinstance(body.get("key"), str)}


# ── the short forms ─────────────────────────────────────────────────────────────────────────────────────────────────


def _steps(file: Located, cast: Any) -> tuple[list[dict[str, Any]], list[Problem]]:
    """The steps in their long form, and the problems with the others. Where part of the cast could not be read, a word
    that is not a step may be somebody's."""
    given, ids = file.value.get("steps", []), cast_ids(cast)
    if not isinstance(given, list):
        return [], [Problem(("steps",), "steps is a list: each step begins with a dash.")]
    joining = (step["join"] for step in given if isinstance(step, dict) and "join" in step)
    ids += [id for members in joining for id in cast_ids(_members(members))]
    read = [_step(("steps", number), step, ids) for number, step in enumerate(given)]
    steps = [UNREAD if isinstance(step, Problem) else step for step in read]
    return steps, [step for step in read if isinstance(step, Problem)]


def _members(body: object) -> list[Any]:
    """Those who join in a step."""
    members = body["members"] if isinstance(body, dict) and "members" in body else body
    return members if isinstance(members, list) else [members]


def _join(loc: Loc, body: object) -> dict[str, Any] | Problem:
    """A step in which somebody joins; one who joins alone needs no list."""
    try:
        return {"kind": "join", "members": [StoryMember.model_validate(each) for each in _members(body)]}
    except ValidationError as invalid:
        return Problem(loc, describe(invalid.errors()[0], StoryMember))


def _step(loc: Loc, step: object, ids: list[str]) -> dict[str, Any] | Problem:
    if not isinstance(step, dict):
        return Problem(loc, f'{step!r} is not a step. Write {ids[0] if ids else "alice"}: "…" or note: "…".')
    if len(step) != 1:
        keys = ", ".join(map(str, step))
        return Problem(loc, f"a step has one key; this one has {len(step)}: {keys}. Begin each step with a dash.")
    ((verb, body),) = step.items()
    if verb in STEPS:
        return _with_body((*loc, verb), verb, body)
    if verb in ids:
        return {"kind": "say", "speaker": verb, "text": body}
    if verb in package_steps():
        return _added((*loc, verb), verb, body)
    if SOMEBODY in ids:
        return UNREAD
    meant = did_you_mean(verb, [*step_names(), *ids])
    known = f"A step: {', '.join(step_names())}. The cast: {', '.join(ids) or 'nobody'}."
    known = meant.lstrip() if meant.casefold().endswith(f"{str(verb)!r}?".casefold()) else known + meant
    return Problem((*loc, str(verb)), f"{verb!r} is neither a step nor a character in the cast. {known}")


def _with_body(loc: Loc, verb: str, body: object) -> dict[str, Any] | Problem:
    short = STEPS[verb]
    if verb == "join":
        return _join(loc, body)
    if isinstance(body, dict) and "kind" not in body:
        return {**(_with_state_keys_apart(body) if verb == "change" else body), "kind": verb}
    if isinstance(body, dict):
        return Problem((*loc, "kind"), f"unknown key 'kind' in {verb}: the step says it already. Leave it out.")
    if short is None:
        return Problem(loc, f"{body!r}: {verb!r} takes keys, one per line below it.")
    return {short: body, "kind": verb}


def _with_state_keys_apart(body: dict[str, Any]) -> dict[str, Any]:
    own = body.keys() & {"description", "audience", "channel"}
    return {**{key: body[key] for key in own}, "changes": {key: body[key] for key in body.keys() - own}}


def _added(loc: Loc, verb: str, body: object) -> dict[str, Any] | Problem:
    """A step that a package adds."""
    try:
        form = load_step(verb)
    except StrategyError as error:
        return Problem(loc, str(error))
    if not isinstance(body, dict) and form.short is None:
        return Problem(loc, f"{body!r}: {verb!r} takes keys, one per line below it.")
    try:
        step = form.model_validate(body if isinstance(body, dict) else {form.short: body})
    except ValidationError as invalid:
        first = invalid.errors()[0]
        return Problem((*loc, *first["loc"]), describe(first, form))
    return {"kind": "added", "name": verb, "step": step}
