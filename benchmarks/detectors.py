"""What does a detector cost? Milliseconds of CPU a message, for each detector that is shipped.

Made-up scenes with casts of `--casts` characters, all of them there, with a narrator and without, are told from the
first message to the last; so are the labelled scenes of the files given. Rounds alternate between detectors.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import click
from kit.options import numbers, output
from kit.report import Report, Table, at_most, bars

from earwitness.end.whereabouts import folded
from earwitness.protocols import Detector
from earwitness.records.character import Cast, Character, as_cast
from earwitness.records.message import Message
from earwitness.records.moment import Moment, Presence
from earwitness.records.state import State, Whereabouts
from earwitness_plugins.detectors.everyone import Everyone
from earwitness_plugins.detectors.mentions import Mentions
from earwitness_plugins.detectors.places import Places
from earwitness_plugins.detectors.presence import PresenceDetector
from earwitness_plugins.detectors.recent_speakers import RecentSpeakers
from earwitness_plugins.detectors.rules import RulesDetector
from earwitness_plugins.detectors.vote import Vote

DETECTORS = {
    "everyone": Everyone,
    "recent_speakers": RecentSpeakers,
    "mentions": Mentions,
    "presence": PresenceDetector,
    "places": Places,
    "rules": RulesDetector,
    "vote": Vote,
}
LIMIT_MS = 1.0
LIMIT_CAST = 100
"""The limit is for scenes of so many characters at most, and for those of the files."""
RECENT = 24
TELLER = "teller"
SAID = (
    '*nods to {a}* "We should go before {b} comes."',
    "{a}, have you seen {b}?",
    "*whispers to {a}* Not a word to {b}.",
    "I never said that. [{a} suspects something.]",
    "{a} leans back and looks at {b}. “Well, well,” she says.",
    "(OOC: brb)",
    "It is late, and the road is long. What would you do, {a}, if it were yours to say?",
)
NARRATED = ("{a} leaves the room.", "{a} returns, followed by {b}.", "The fire burns low. {a} looks at {b}.")
Line = tuple[str, str]
Scene = tuple[Cast, Sequence[Line]]


@click.command(help=__doc__)
@output
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--casts", default="5,20,100", show_default=True, help="Members of the cast of each made-up scene.")
@click.option("--messages", default=200, show_default=True, help="In each made-up scene; of each file, the first ones.")
@click.option("--rounds", default=3, show_default=True)
def main(as_json: bool, plot: Path | None, files: Sequence[Path], casts: str, messages: int, rounds: int) -> None:
    """Tell every scene to every detector, report."""
    scenes = {
        f"cast of {size}": [made(size, messages, narrated=narrated) for narrated in (True, False)]
        for size in numbers(casts)
    }
    scenes |= {file.stem: list(labelled(file, messages)) for file in files}
    limited = {f"cast of {size}" for size in numbers(casts) if size <= LIMIT_CAST} | {file.stem for file in files}
    rows = [_measured(name, narrated, rounds) for name, narrated in scenes.items()]
    targets = [
        at_most(f"{name}, {row['scenes']}: ms CPU a message", row[name], LIMIT_MS)
        for row in rows
        for name in DETECTORS
        if row["scenes"] in limited
    ]
    table = Table("Cost of a detector, ms CPU a message", ["", *DETECTORS], [[*row.values()] for row in rows])
    draw = bars("Cost of `rules`", "ms CPU a message", {row["scenes"]: row["rules"] for row in rows})
    Report("detectors", {"detectors": rows}, [table], draw, targets).show(as_json=as_json, plot=plot)


def made(size: int, messages: int, *, narrated: bool) -> Scene:
    """A scene of so many characters who greet, whisper, come and go; `narrated` by a narrator, too, or by none."""
    order = random.Random(size)
    names = [
        f"{first}{at}" for at, first in zip(range(size), ["Ada", "Ben", "Cleo", "Dov", "Eve"] * size, strict=False)
    ]
    cast = as_cast([*(Character(name) for name in names), Character(TELLER, kind="narrator")])
    lines = []
    for at in range(messages):
        a, b = order.choice(names), order.choice(names)
        speaker = TELLER if narrated and at % 10 == 9 else order.choice(names)
        lines.append((speaker, order.choice(NARRATED if speaker == TELLER else SAID).format(a=a, b=b)))
    return cast, lines


def labelled(file: Path, messages: int) -> Iterator[Scene]:
    """The scenes of a file, until so many messages have been told."""
    for row in map(json.loads, file.read_text("utf-8").splitlines()):
        if messages <= 0:
            return
        roster = [name for name in dict.fromkeys(row["roster"]) if name]
        cast = as_cast(
            [*(Character(f"c{at}", name=name) for at, name in enumerate(roster)), Character(TELLER, kind="narrator")]
        )
        ids = {name: f"c{at}" for at, name in enumerate(roster)}
        lines = [(ids.get(each["speaker"], TELLER), each["text"]) for each in row["messages"]]
        messages -= len(lines)
        yield cast, lines


def _measured(name: str, narrated: Sequence[Scene], rounds: int) -> dict[str, Any]:
    found: dict[str, list[float]] = {each: [] for each in DETECTORS}
    for _ in range(rounds):
        for each, kind in DETECTORS.items():
            costs = [cost for cast, lines in narrated for cost in _costs(kind(), cast, lines)]
            found[each].append(1000 * sum(costs) / len(costs))
    return {"scenes": name, **{each: median(means) for each, means in found.items()}}


def _costs(detector: Detector, cast: Cast, lines: Sequence[Line]) -> Iterator[float]:
    """Seconds of CPU for each message of a scene; what it moves is folded in between, and not counted."""
    places = {id: Whereabouts(place="hall", here=True) for id in cast.ids if id != TELLER}
    said: list[Message] = []
    for sequence, (speaker, text) in enumerate(lines, 1):
        message = Message(
            key=f"m{sequence}",
            sequence=sequence,
            speaker=speaker,
            content=text,
            game_day=1,
            scene="hall",
            timestamp="2026-01-01T12:00:00Z",
        )
        state = State(current_scene="hall", whereabouts=places)
        moment = Moment(message=message, recent=tuple(said[-RECENT:]), cast=cast, state=state)
        began = time.process_time()
        presence = detector.detect(moment)
        yield time.process_time() - began
        assert isinstance(presence, Presence)
        places = folded(places, presence.movements, "hall", sequence)
        said.append(message)


if __name__ == "__main__":
    main()
