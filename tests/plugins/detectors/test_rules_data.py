"""The detector `rules` on the development data, online. Skipped, and says so, where the data is not at hand."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from earwitness.records.character import Character

Begin = Callable[..., Any]
TELLER = "teller of it all"


def scored(story: Begin, file: Path) -> Iterator[tuple[set[str], set[str]]]:
    """(Who perceives a message, whom the detector names) for every scored message."""
    for line in file.read_text("utf-8").splitlines():
        scene = json.loads(line)
        roster = [name for name in scene["roster"] if name]
        cast = [*(Character(name, name=name) for name in roster), Character(TELLER, kind="narrator")]
        stage = story(cast=cast, scene="start")
        for message in scene["messages"]:
            named = message["speaker"] or TELLER
            speaker = named if named in roster else next((name for name in roster if name in named), TELLER)
            heard = stage.say(speaker, message["text"]) - {TELLER}
            if message["present"] is not None:
                yield set(message["present"]), heard


def measured(story: Begin, file: Path) -> tuple[float, float]:
    """Shares of exact answers, and of messages that leak to somebody who did not perceive them."""
    pairs = list(scored(story, file))
    exact = sum(gold == heard for gold, heard in pairs) / len(pairs)
    return exact, sum(bool(heard - gold) for gold, heard in pairs) / len(pairs)


def test_conversations_that_people_join_and_leave(story: Begin, development_data: Path) -> None:
    exact, leak = measured(story, development_data / "participants" / "fantom.jsonl")
    assert exact >= 0.95
    assert leak <= 0.012


def test_stories_told_about_people_at_several_places(story: Begin, development_data: Path) -> None:
    exact, leak = measured(story, development_data / "participants" / "tomi.jsonl")
    assert exact >= 0.985
    assert leak <= 0.02
