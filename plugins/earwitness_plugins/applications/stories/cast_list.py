"""The list of the cast as a story file has it: what is not a list, nor an item of one."""

from __future__ import annotations

from typing import Any

from earwitness.errors import quoted
from earwitness.loading.problems import Loc, Problem

from .recovery import SOMEBODY

LOC: Loc = ("cast",)


def read_cast(story: dict[str, Any]) -> tuple[Any, list[Problem]]:
    """The members of the cast, and the problems with the list. `SOMEBODY` stands for each who cannot be read."""
    given = story.get("cast")
    if "cast" not in story:
        return given, []
    if not isinstance(given, list):
        return [SOMEBODY], [Problem(LOC, f"cast: {quoted(given)} is not a list. {_meant(given)}")]
    said = _verbs(story.get("steps"))
    joined = {number: each for number, each in enumerate(given) if _is_two_lines(each) and each not in said}
    problems = [Problem((*LOC, number), _two_lines(each)) for number, each in joined.items()]
    return [SOMEBODY if number in joined else each for number, each in enumerate(given)], problems


def cast_ids(members: Any) -> list[str]:
    """Their ids. `SOMEBODY` stands for each who has none."""
    each = members if isinstance(members, list) else []
    return [named if isinstance(named := _id(member), str) else SOMEBODY for member in each]


def _verbs(steps: Any) -> set[str]:
    """The words that steps begin with."""
    each = steps if isinstance(steps, list) else []
    return {str(word) for step in each if isinstance(step, dict) for word in step}


def _id(member: object) -> object:
    return member.get("id", SOMEBODY) if isinstance(member, dict) else member


def _meant(given: object) -> str:
    """What was probably meant in place of a list."""
    match given:
        case str() if given.strip():
            names = [each.strip() for each in given.split(",") if each.strip()]
        case dict():
            return "Begin each member with a dash: - {id: alice, name: Alice the Tall}, or only - alice."
        case _:
            names = ["alice", "bob"]
    return f"Write cast: [{', '.join(names)}]."


def _is_two_lines(member: object) -> bool:
    """Whether a name has gone on in the next line, which begins with a dash: YAML takes both for one text."""
    return isinstance(member, str) and " - " in member


def _two_lines(member: str) -> str:
    ids = " and ".join(f"- {each}" for each in member.split(" - "))
    return f"{quoted(member)} is read as one name. Put {ids} below each other, each dash in the same column."
