"""Reading a story file: everything that is wrong with it is said, with its line, before anything is played."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from earwitness.errors import InputError, StoryError, unknown
from earwitness.ids import check_key, check_session_id
from earwitness.loading.located import Loc, Located, read_yaml
from earwitness.records.state import State

from .story import Change, Edit, Reroll, Retract, Say, Story

# The steps, and the key that a bare text or list in their place stands for.
STEPS: dict[str, str | None] = {
    "say": None, "change": None, "update": None, "enter": "characters", "leave": "characters", "move": None,
    "recall": "character", "who_knows": "text", "edit": None, "reroll": "text", "retract": "key", "note": "text",
}  # fmt: skip
NEAR_MISS = 0.85


def read_story(path: str | Path) -> Story:
    """Read and check a story file. Raises `StoryError` naming the file, the line and what is allowed."""
    return checked(read_yaml(path, StoryError))


def checked(file: Located) -> Story:
    """The story in a file, if nothing is wrong with it. Raises `StoryError`."""
    if not isinstance(file.value, dict):
        raise file.error((), "a story begins with its keys: story, cast, steps.")
    _check_ids(file, _validated(file, {"steps": []} if "steps" in file.value else {}))
    story = _validated(file, {"steps": _steps(file)})
    _check_characters(file, story)
    _check_states(file, story)
    _check_keys(file, story)
    return story


def _validated(file: Located, normalised: dict[str, Any]) -> Story:
    try:
        return Story.model_validate({**file.value, **normalised})
    except ValidationError as invalid:
        raise file.explain(invalid, Story) from None


# ── the short forms ─────────────────────────────────────────────────────────────────────────────────────────────────


def _steps(file: Located) -> list[dict[str, Any]]:
    steps = file.value.get("steps", [])
    if not isinstance(steps, list):
        raise file.error(("steps",), "steps is a list: each step begins with a dash.")
    ids = _cast_ids(file.value.get("cast"))
    return [_step(file, number, step, ids) for number, step in enumerate(steps)]


def _cast_ids(cast: object) -> list[str]:
    members = cast if isinstance(cast, list) else []
    return [str(member.get("id")) if isinstance(member, dict) else str(member) for member in members]


def _step(file: Located, number: int, step: object, ids: list[str]) -> dict[str, Any]:
    loc: Loc = ("steps", number)
    if not isinstance(step, dict):
        raise file.error(loc, f'{step!r} is no step. Write {ids[0] if ids else "alice"}: "…" or note: "…".')
    if len(step) != 1:
        raise file.error(loc, f"a step is one thing; this one is {len(step)}: {', '.join(map(str, step))}.")
    ((verb, body),) = step.items()
    if verb in STEPS:
        return {**_body(file, (*loc, verb), verb, body), "kind": verb}
    if verb in ids:
        return {"kind": "say", "speaker": verb, "text": body}
    close = get_close_matches(str(verb), [*STEPS, *ids], n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    known = f"A step: {', '.join(STEPS)}. The cast: {', '.join(ids) or 'nobody'}."
    raise file.error((*loc, str(verb)), f"{verb!r} is neither a step nor one of the cast. {known}{hint}")


def _body(file: Located, loc: Loc, verb: str, body: object) -> dict[str, Any]:
    short = STEPS[verb]
    if isinstance(body, dict):
        return _with_state_keys_apart(body) if verb == "change" else body
    if short is None:
        raise file.error(loc, f"{body!r}: {verb!r} takes keys, one a line below it.")
    return {short: [body] if short == "characters" and isinstance(body, str) else body}


def _with_state_keys_apart(body: dict[str, Any]) -> dict[str, Any]:
    own = body.keys() & {"description", "audience"}
    return {**{key: body[key] for key in own}, "changes": {key: body[key] for key in body.keys() - own}}


# ── what a schema cannot say ────────────────────────────────────────────────────────────────────────────────────────


def _check_ids(file: Located, story: Story) -> None:
    with file.at(("story",)):
        check_session_id(story.story)
    seen: set[str] = set()
    for number, member in enumerate(story.cast):
        with file.at(("cast", number)):
            character = member.character()
            if character.id in seen or character.id in STEPS:
                why = "stands twice in the cast" if character.id in seen else "is the name of a step"
                raise InputError(f"character {character.id!r} {why}. Choose another id.")
            seen.add(character.id)


def _check_characters(file: Located, story: Story) -> None:
    ids = [member.id for member in story.cast]
    for loc, id in _named(story):
        if id not in ids:
            raise file.error(loc, str(unknown("character", id, ids)))


def _named(story: Story) -> Iterator[tuple[Loc, str]]:
    """Every place where a character is named, and who."""
    yield from ((("present", number), id) for number, id in enumerate(story.present or ()))
    yield from ((("prepare", "cards", id), id) for id in story.prepare.cards)
    yield from ((("prepare", "examples", id), id) for id in story.prepare.examples)
    for number, entry in enumerate(story.prepare.lore):
        yield from ((("prepare", "lore", number, "known_by"), id) for id in entry.known_by or ())
    for number, step in enumerate(story.steps):
        for field in ("speaker", "character", "characters", "present", "audience"):
            yield from ((("steps", number, step.kind, field), id) for id in _ids(getattr(step, field, None)))


def _ids(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return () if value in {"present", "public"} else (value,)
    return value if isinstance(value, tuple) else ()


def _check_states(file: Located, story: Story) -> None:
    _check_state(file, ("state",), story.state)
    for number, step in enumerate(story.steps):
        if isinstance(step, Change):
            _check_state(file, ("steps", number, "change"), step.changes)


def _check_state(file: Located, loc: Loc, values: dict[str, Any]) -> None:
    for key in values.keys() - State.model_fields.keys():
        if close := get_close_matches(key, State.model_fields, n=1, cutoff=NEAR_MISS):
            raise file.error((*loc, key), f"unknown state key {key!r}. Did you mean {close[0]!r}?")
    try:
        State().updated(values)
    except ValidationError as invalid:
        raise file.explain(invalid, State, loc) from None


def _check_keys(file: Located, story: Story) -> None:
    """A key names one message, and steps that change a message come after it."""
    named: set[str] = set()
    for number, step in enumerate(story.steps):
        loc: Loc = ("steps", number, step.kind, "key")
        if isinstance(step, Say) and step.key is not None:
            with file.at(loc):
                check_key(step.key)
            if step.key in named:
                raise file.error(loc, f"the key {step.key!r} names an earlier message. Choose another.")
            named.add(step.key)
        elif isinstance(step, Edit | Reroll | Retract) and step.key is not None and step.key not in named:
            raise file.error(loc, str(unknown("message", step.key, named)))
