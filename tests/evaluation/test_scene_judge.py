"""What a detector gets to see: the past, the cast, the whereabouts; never the future and never a label."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from earwitness.loading.end_settings import EndSettings
from earwitness.protocols import Detector
from earwitness.records.moment import Moment, Movement, Perceived, Presence, Segment
from earwitness_plugins.applications.evaluation.detector_spec import DetectorSpec
from earwitness_plugins.applications.evaluation.scene_judge import Directions, JudgedMessage, judged_messages
from earwitness_plugins.importers.labelled import LabelledScene
from earwitness_plugins.importers.scenes import ScenesImporter

from .conftest import EVENING, lines, scene

Answer = Callable[[Moment], Any]


class Scripted:
    """Answers by a function, and keeps what it was shown."""

    def __init__(self, answer: Answer = lambda moment: Presence(characters={})) -> None:
        self.seen: list[Moment] = []
        self._answer = answer

    def detect(self, moment: Moment) -> Presence:
        self.seen.append(moment)
        presence: Presence = self._answer(moment)
        return presence


async def judged(
    told: LabelledScene, detector: Detector, directions: Directions = "shown", **end: Any
) -> list[JudgedMessage]:
    spec = DetectorSpec(label="d", name="d", end=EndSettings(**end))
    return [each async for each in judged_messages(told, detector, spec, directions)]


def evening(folder: Path) -> LabelledScene:
    return ScenesImporter().read(lines(folder, "evening.jsonl", EVENING)).scenes[0]


def everybody(moment: Moment, **more: Any) -> Presence:
    there = Perceived(probability=0.9, role="present", evidence=("here",))
    return Presence(characters=dict.fromkeys(moment.cast.ids, there), **more)


# ── what it sees ────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_it_sees_what_was_told_before_and_nothing_of_what_comes(tmp_path: Path) -> None:
    detector = Scripted()
    await judged(evening(tmp_path), detector)
    for number, moment in enumerate(detector.seen):
        assert [each.content for each in moment.recent] == [each.message.content for each in detector.seen[:number]]
        assert "barrel" not in moment.model_dump_json() or number == len(detector.seen) - 1


async def test_no_label_is_in_anything_it_sees(tmp_path: Path) -> None:
    detector = Scripted()
    await judged(evening(tmp_path), detector)
    for moment in detector.seen:
        assert moment.message.present is None
        assert moment.message.metadata == {}
        assert all(each.present is None for each in moment.recent)


async def test_it_sees_as_many_messages_back_as_in_a_story() -> None:
    detector = Scripted()
    await judged(scene(*[("Ann", f"line {n}") for n in range(40)]), detector)
    assert [len(moment.recent) for moment in detector.seen] == [min(n, 24) for n in range(40)]


async def test_a_narrator_tells_narration_and_is_no_name_of_the_roster(tmp_path: Path) -> None:
    detector = Scripted(everybody)
    told = await judged(evening(tmp_path), detector)
    assert [member.kind for member in detector.seen[0].cast] == ["character"] * 3 + ["narrator"]
    assert detector.seen[0].message.speaker == "narrator"
    assert told[0].perceivers == {"Ann", "Ben", "Old Tom"}
    assert told[0].speakers == ()


async def test_with_hidden_directions_there_is_no_narration_and_indices_stay(tmp_path: Path) -> None:
    detector = Scripted()
    told = await judged(evening(tmp_path), detector, "hidden")
    assert [each.index for each in told] == [1, 2, 4, 5, 6, 8]
    assert [each.text for each in told][1:5] == ["Good.", "Good evening.", "Evening!", "Fool."]
    assert not any(member.kind == "narrator" and "Enter" in str(detector.seen) for member in detector.seen[0].cast)


async def test_movements_are_folded_into_the_whereabouts_of_the_next_message() -> None:
    def coming_and_going(moment: Moment) -> Presence:
        kinds = {"come": "enter", "go": "leave"}
        moves = [Movement(character="ann", kind=kind) for word, kind in kinds.items() if word in moment.message.content]
        return Presence(characters={}, movements=(*moves, Movement(character="nobody", kind="enter")))

    detector = Scripted(coming_and_going)
    await judged(scene(("Ben", "come"), ("Ben", "stay"), ("Ben", "go"), ("Ben", "gone")), detector)
    assert [moment.state.here for moment in detector.seen] == [(), ("ann",), ("ann",), ()]


async def test_who_speaks_along_perceives_it_and_is_here(tmp_path: Path) -> None:
    detector = Scripted()
    told = await judged(evening(tmp_path), detector)
    assert told[5].speakers == ("Ann", "Ben")
    assert told[5].perceivers == {"Ann", "Ben"}
    assert detector.seen[6].state.here == ("ben",)


# ── what is made of its answers ─────────────────────────────────────────────────────────────────────────────────────


async def test_whoever_is_likely_enough_perceives_it_and_the_speaker_always() -> None:
    def unsure(moment: Moment) -> Presence:
        return Presence(
            characters={
                "ben": Perceived(probability=0.5, role="present"),
                "cat": Perceived(probability=0.49, role="present"),
                "ann": Perceived(probability=0, role="absent"),
            }
        )

    told = scene(("Ann", "Hm."))
    assert [(await judged(told, Scripted(unsure)))[0].perceivers] == [{"Ann", "Ben"}]
    assert [(await judged(told, Scripted(unsure), threshold=0.4))[0].perceivers] == [{"Ann", "Ben", "Cat"}]
    assert [(await judged(told, Scripted(unsure), threshold=0.6))[0].perceivers] == [{"Ann"}]


async def test_a_detector_that_fails_is_named_and_only_the_speaker_perceives() -> None:
    for wrong, said in (
        (lambda moment: 1 / 0, "ZeroDivisionError"),
        (lambda moment: None, "no answer"),
        (dict, "expect"),
    ):
        (told,) = await judged(scene(("Ann", "Hm.")), Scripted(wrong))
        assert told.perceivers == {"Ann"}
        assert told.failure is not None
        assert said in told.failure


async def test_a_stranger_is_named_and_left_out() -> None:
    there = Perceived(probability=1, role="present")
    (told,) = await judged(scene(("Ann", "Hm.")), Scripted(lambda moment: Presence(characters={"zoe": there})))
    assert told.perceivers == {"Ann"}
    assert told.failure is None
    assert told.ignored == "named 'zoe', who are not in the cast; ignored"


async def test_who_is_unsure_perceives_it_where_the_policy_delivers_and_nobody_is_asked() -> None:
    def unsure(moment: Moment) -> Presence:
        chance = {"ben": 0.3, "cat": 0.2}
        return Presence(characters={id: Perceived(probability=p, role="present") for id, p in chance.items()})

    told = scene(("Ann", "Hm."))
    for policy, perceivers in (("withhold", {"Ann"}), ("deliver", {"Ann", "Ben"}), ("ask", {"Ann"})):
        assert (await judged(told, Scripted(unsure), unsure={"policy": policy}))[0].perceivers == perceivers


async def test_an_answer_that_core_would_not_believe_is_not_believed_here() -> None:
    invented = Segment(text="not in the message", kind="spoken")
    (told,) = await judged(scene(("Ann", "Hm.")), Scripted(lambda moment: everybody(moment, segments=(invented,))))
    assert told.perceivers == {"Ann"}
    assert told.failure is not None
    assert "'not in the message'" in told.failure


async def test_a_detector_may_answer_later() -> None:
    class Slow:
        async def detect(self, moment: Moment) -> Presence:
            return everybody(moment)

    (told,) = await judged(scene(("Ann", "Hm.")), Slow())
    assert told.perceivers == {"Ann", "Ben", "Cat"}


def cut(*segments: Segment) -> Answer:
    return lambda moment: everybody(moment, segments=segments)


OPEN = Segment(text="Well.", kind="spoken")
WHISPER = Segment(text="psst", kind="whisper", audience=("ben",))
ASIDE = Segment(text="(aside) Fool.", kind="aside", audience=())
OOC = Segment(text="((brb))", kind="ooc", audience=())


async def test_whom_no_segment_reaches_does_not_perceive_the_message() -> None:
    for perception in ("segments", "whole"):
        (told,) = await judged(scene(("Ann", "psst")), Scripted(cut(WHISPER)), perception=perception)
        assert told.perceivers == {"Ann", "Ben"}
        assert told.beliefs["Cat"].confidence == 0


async def test_who_hears_a_part_perceives_the_message() -> None:
    mixed = scene(("Ann", "Well. psst ((brb))"))
    (told,) = await judged(mixed, Scripted(cut(OPEN, WHISPER, OOC)))
    assert told.perceivers == {"Ann", "Ben", "Cat"}
    (told,) = await judged(mixed, Scripted(cut(OPEN, WHISPER, OOC)), perception="whole")
    assert told.perceivers == {"Ann", "Ben"}


async def test_of_a_message_with_an_aside_in_it_only_those_count_who_hear_the_aside() -> None:
    (told,) = await judged(scene(("Ann", "(aside) Fool. Well.")), Scripted(cut(ASIDE, OPEN)))
    assert told.perceivers == {"Ann"}
    shared = ASIDE.model_copy(update={"audience": ("cat",)})
    (told,) = await judged(scene(("Ann", "(aside) Fool. Well.")), Scripted(cut(shared, OPEN)))
    assert told.perceivers == {"Ann", "Cat"}
