"""Fresh little scenes: who knows something, as a careful reader would say."""

from __future__ import annotations

from pathlib import Path

import pytest

from .scene_files import Begin, Scene, played, scenes

MEANS = {(True, False): "knows", (False, True): "contrary", (True, True): "both", (False, False): "nothing"}
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
    story = await played(begin, scene)
    for question, wanted in scene.asked.items():
        found = (await story.backstage().who_knows(question)).knowers
        answers = {id: MEANS[found[id].knows, found[id].contrary is not None] for id in wanted}
        wrong = {id: answer for id, answer in answers.items() if answer not in wanted[id].split("|")}
        assert not wrong, question
