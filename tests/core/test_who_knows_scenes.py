"""Fresh little scenes: who knows something, as a careful reader would say."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from earwitness import Character, Session

Begin = Callable[..., Awaitable[Session]]
MEANS = {(True, False): "knows", (False, True): "contrary", (True, True): "both", (False, False): "nothing"}
SAYS = re.compile(r"(?P<speaker>[\w ]+?)(?: as (?P<mask>[\w ]+))? > (?P<hearer>[\w ]+): (?P<text>.*)")


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
        cast += [name for each in said for name in (each["speaker"], each["hearer"])]
        answers = {question: dict(each.split() for each in given.split(", ")) for question, given in asked.items()}
        yield Scene(title, list(dict.fromkeys(cast)), said, answers)


def id_of(name: str) -> str:
    return name.split(maxsplit=1)[0].lower()


OPEN = {
    "At the station": "a she after two names is nobody for sure",
    "The guild": "a he is not sought in the message before",
}
"""Scenes that are not answered as a reader would, and why: nothing is found, where a reader would know."""
ALL = [each for path in sorted((Path(__file__).parent / "scenes").glob("*.txt")) for each in scenes(path)]


def marks(scene: Scene) -> list[pytest.MarkDecorator]:
    return [pytest.mark.xfail(strict=True, reason=OPEN[scene.title])] if scene.title in OPEN else []


@pytest.mark.parametrize("scene", [pytest.param(each, id=each.title, marks=marks(each)) for each in ALL])
async def test_a_scene_is_answered_as_a_reader_would(begin: Begin, scene: Scene) -> None:
    story = await begin(cast=[Character(id_of(name), name=name) for name in scene.cast])
    for each in scene.said:
        mask = {"speak_as": each["mask"]} if each["mask"] else {}
        await story.say(id_of(each["speaker"]), each["text"], audience=[id_of(each["hearer"])], **mask)
    for question, wanted in scene.asked.items():
        found = (await story.backstage().who_knows(question)).knowers
        answers = {id: MEANS[found[id].knows, found[id].contrary is not None] for id in wanted}
        wrong = {id: answer for id, answer in answers.items() if answer not in wanted[id].split("|")}
        assert not wrong, question
