"""The detector `addressees` on the development data, online. Skipped, and says so, where the data is not at hand."""

import json
from pathlib import Path

from earwitness.records.character import Cast, Character
from earwitness.records.message import Message
from earwitness.records.moment import Moment
from earwitness.records.state import State
from earwitness_plugins.detectors.addressees import AddresseesDetector

RECENT = 24


def measured(file: Path) -> tuple[int, int, int, int]:
    """Quotations, exact answers, listeners found, and listeners named plus listeners there are."""
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    ids = {name: f"c{number}" for number, name in enumerate(dict.fromkeys(row["speaker"] for row in rows))}
    cast = Cast(members=tuple(Character(id, name=name) for name, id in ids.items()))
    messages = [_message(number, row, ids[row["speaker"]]) for number, row in enumerate(rows)]
    detector, state = AddresseesDetector(), State()
    exact = found = named = 0
    for number, row in enumerate(rows):
        recent = tuple(messages[max(0, number - RECENT) : number])
        answer = detector.detect(Moment(message=messages[number], recent=recent, cast=cast, state=state))
        heard = {id for id, who in answer.characters.items() if who.role == "addressee" and who.probability >= 0.5}
        gold = {ids.get(name, name) for name in row["addressees"]}
        exact, found, named = exact + (heard == gold), found + len(heard & gold), named + len(heard) + len(gold)
    return len(rows), exact, found, named


def _message(number: int, row: dict[str, object], speaker: str) -> Message:
    return Message.model_validate(
        {
            "key": f"q{number}",
            "sequence": number,
            "speaker": speaker,
            "content": row["text"],
            "game_day": 1,
            "scene": "book",
            "timestamp": "2000-01-01T00:00:00Z",
            "metadata": {"spans": row["spans"]},
        }
    )


def test_quotations_of_novels(development_data: Path) -> None:
    novels = [measured(file) for file in sorted((development_data / "addressees").glob("*.jsonl"))]
    quotations, exact, found, named = (sum(each) for each in zip(*novels, strict=True))
    assert exact / quotations >= 0.61
    assert 2 * found / named >= 0.755
