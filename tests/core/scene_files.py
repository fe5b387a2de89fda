"""Small scenes in text files: who said what to whom, what is asked, and the answer of a careful reader."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from earwitness import Character, Session

Begin = Callable[..., Awaitable[Session]]
SAYS = re.compile(r"(?P<speaker>[\w ]+?)(?: as (?P<mask>[\w ]+))? > (?P<hearers>[\w, ]+): (?P<text>.*)")


class Scene(NamedTuple):
    """One scene, and what a reader answers to each question about it."""

    title: str
    cast: list[str]
    said: list[re.Match[str]]
    asked: dict[str, dict[str, str]]


def scenes(path: Path) -> Iterator[Scene]:
    for part in path.read_text(encoding="utf-8").split("\n## ")[1:]:
        title, *lines = filter(None, part.splitlines())
        asked = dict(each[2:].split(" = ") for each in lines if each.startswith("? "))
        said = [found for each in lines if not each.startswith("? ") and (found := SAYS.match(each))]
        others = [each for each in lines if not each.startswith("? ") and not SAYS.match(each)]
        cast = [name for each in others for name in each.split(", ")]
        cast += [name for each in said for name in (each["speaker"], *each["hearers"].split(", "))]
        answers = {question: dict(each.split() for each in given.split(", ")) for question, given in asked.items()}
        yield Scene(title, list(dict.fromkeys(cast)), said, answers)


def id_of(name: str) -> str:
    return name.split(maxsplit=1)[0].lower()


async def played(begin: Begin, scene: Scene) -> Session:
    story = await begin(cast=[Character(id_of(name), name=name) for name in scene.cast])
    for each in scene.said:
        mask = {"speak_as": each["mask"]} if each["mask"] else {}
        audience = [*map(id_of, each["hearers"].split(", "))]
        await story.say(id_of(each["speaker"]), each["text"], audience=audience, **mask)
    return story
