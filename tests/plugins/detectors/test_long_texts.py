"""No text costs more than its length: 20,000 characters never take the seconds that a second look at each would."""

import string
import time

import pytest

from earwitness.records.character import Character, as_cast
from earwitness.records.message import Message
from earwitness.records.moment import Moment
from earwitness.records.state import State, Whereabouts
from earwitness_plugins.detectors.rules import RulesDetector

LENGTH = 20_000
SECONDS = 4.0
CAST = as_cast([*map(Character, ("alice", "bob", "charlie", "dan", "eve")), Character("narrator", kind="narrator")])
MARKS = [
    *(f"{mark} " for mark in string.punctuation + "“”«»„「」『』’‘…—–\n\t\uff08\uff09\uff0a"),
    *"*'-.(_ ",
    "!a",
    "--",
]
DIRECTIONS = [
    "Enter ",
    "Exit ",
    "Exeunt ",
    "Exeunt all but ",
    "all but ",
    "Here enters ",
    "They remain ",
    "he stays ",
    "and ",
    "then ",
    "The others ",
    "is in attendance ",
    "accompanied by ",
    "wife of ",
    "' ",
    "but ",
    "save ",
    "within ",
]
PROSE = [
    "Bob ",
    "Bob's ",
    "Bob and ",
    "to Bob ",
    "(to Bob) ",
    "only ",
    "leaving only ",
    "leaves ",
    "enters ",
    "awakens ",
    "dies ",
    "he said ",
    "she thinks ",
    "says quietly ",
    "told Bob ",
    "in a whisper ",
    "hisses at ",
    "aside ",
    ", aside ",
    "goes to the ",
    "reads: ",
    "they all ",
    "the rest ",
    "both ",
    '"Fool," I thought. ',
    "[a] ",
    "> a\n",
    "```",
]


def seconds(text: str, speaker: str, *, played: bool) -> float:
    places = {id: Whereabouts(place="tavern", here=True, since=1) for id in ("alice", "bob", "dan")}
    places |= {"narrator": Whereabouts(place="wings")} if played else {}
    message = Message(
        key="m", sequence=3, speaker=speaker, content=text, game_day=1, scene="tavern", timestamp="2026-01-01T12:00:00Z"
    )
    moment = Moment(message=message, cast=CAST, state=State(current_scene="tavern", whereabouts=places))
    started = time.process_time()
    RulesDetector().detect(moment)
    return time.process_time() - started


@pytest.mark.parametrize("filler", [*MARKS, *DIRECTIONS, *PROSE])
def test_a_long_text_of_one_thing_over_and_over_is_read_at_once(filler: str) -> None:
    text = filler * (LENGTH // len(filler))
    assert seconds(text, "alice", played=False) < SECONDS
    assert seconds(f"*{text}", "alice", played=True) < SECONDS
    assert seconds(text, "narrator", played=False) < SECONDS
    assert seconds(text, "narrator", played=True) < SECONDS
