"""A rehearsal makes of messages what END would, without a session."""

from earwitness import Cast, Character, Moment, Movement, Perceived, Presence
from earwitness.loading.settings import EndSettings
from earwitness.records.message import Message
from earwitness.records.moment import Segment
from earwitness.rehearsal import Rehearsal

CAST = Cast(members=(Character("alice"), Character("bob"), Character("charlie")))


def message(rehearsal: Rehearsal, content: str, speaker: str = "alice") -> Message:
    """The next message."""
    return Message(
        key=str(rehearsal.sequence),
        sequence=rehearsal.sequence,
        speaker=speaker,
        content=content,
        game_day=1,
        scene="tavern",
        timestamp="2000-01-01T00:00:00+00:00",
    )


class Ears:
    """Everything is whispered to Bob, who comes in for it."""

    def __init__(self) -> None:
        self.moments: list[Moment] = []

    def detect(self, moment: Moment) -> Presence:
        self.moments.append(moment)
        if "deaf" in moment.message.content:
            raise ValueError("deaf")
        everybody = {id: Perceived(probability=0.9, role="present") for id in ("bob", "charlie", "dora")}
        segments = (Segment(text=moment.message.content, kind="whisper", audience=("bob",)),)
        return Presence(characters=everybody, segments=segments, movements=(Movement(character="bob", kind="enter"),))


async def test_it_says_who_is_reached_and_folds_movements_into_the_state() -> None:
    rehearsal = Rehearsal(CAST, ears := Ears(), EndSettings())
    told = await rehearsal.hear(message(rehearsal, "Not a word."))
    assert {id: part.confidence for id, part in told.reached.items()} == {"alice": 1, "bob": 0.9, "charlie": 0}
    assert told.failure == "named 'dora', who are not in the cast; ignored"
    assert rehearsal.state.whereabouts["bob"].here
    assert (rehearsal.state.message_count, rehearsal.sequence) == (1, 3)
    await rehearsal.hear(message(rehearsal, "Good."))
    assert [each.content for each in ears.moments[1].recent] == ["Not a word."]


async def test_without_an_answer_only_the_speaker_is_reached_and_those_who_speak_along() -> None:
    rehearsal = Rehearsal(CAST, Ears(), EndSettings())
    told = await rehearsal.hear(message(rehearsal, "I am deaf."), along=["bob"])
    assert {id: part.role for id, part in told.reached.items()} == {"alice": "speaker", "bob": "speaker"}
    assert told.failure == "ValueError: deaf"
    assert rehearsal.state.whereabouts["bob"].here
