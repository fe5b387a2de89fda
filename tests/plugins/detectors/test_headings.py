"""Several places at once, as texts tell of them: headings, scene cuts, channels, and who is called across."""

import pytest

from earwitness.records.character import Character
from earwitness.rehearsal import Judgement, Rehearsal
from earwitness_plugins.detectors.rules import RulesDetector
from earwitness_plugins.detectors.text.headings import heading, headings

CAST = [
    Character("ann", name="Ann"),
    Character("ben", name="Ben"),
    Character("cy", name="Cy"),
    Character("dora", name="Dora"),
    Character("narrator", kind="narrator"),
]


async def told(*lines: tuple[str, str], present: tuple[str, ...] = ("ann", "ben", "cy", "dora")) -> list[Judgement]:
    rehearsal = Rehearsal(RulesDetector(), CAST, present=present)
    return [await rehearsal.tell(speaker, text) for speaker, text in lines]


async def hear(*lines: tuple[str, str], present: tuple[str, ...] = ("ann", "ben", "cy", "dora")) -> set[str]:
    """Ids of those who perceive the last line, narrators not counted."""
    return set((await told(*lines, present=present))[-1].settled.participants) - {"narrator"}


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("CELLAR. The lamp has gone out.", "cellar"),
        ("SECOND FLOOR, west end. It is late.", "second_floor"),
        ("INT. BOILER ROOM – NIGHT\nSteam.", "boiler_room"),
        ("[Upstairs] Who left this on?", "upstairs"),
        ("**Scene 3: The Throne Room**\n\nSilence.", "throne_room"),
        ("## The greenhouse\n\nDew.", "greenhouse"),
        ("--- The kitchen ---", "kitchen"),
        ("(in the pantry) Is there jam?", "pantry"),
        ("*Down in the cellar.* Look at this.", "cellar"),
        ("[BG: rooftop, night]", "rooftop"),
        ("FLAT 12. A kettle sings.", "flat_12"),
        ("[CH 3] Anybody there? Over.", "ch_3"),
    ],
)
def test_a_heading_says_where_what_follows_is_said(text: str, place: str) -> None:
    found = heading(text, told=False)
    assert found is not None
    assert found.place == place


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("Meanwhile, in the kitchen, Ann hums.", "kitchen"),
        ("Back on the third floor it was quiet.", "third_floor"),
        ("Third floor. Nobody stirs.", "third_floor"),
        ("Outside, Ben waits.", "outside"),
        ("Inzwischen wartet in der Küche niemand.", None),
        ("Im Keller tropft es.", "keller"),
        ("Mientras tanto, en la cocina, llueve.", "cocina"),
        ("Pendant ce temps, dans la cave, Ann attend.", "cave"),
        ("Enquanto isso, na cozinha, chove.", "cozinha"),
        ("Тем временем на кухне было тихо.", "кухн"),
        ("その頃、台所で湯が沸いていた。", "台所"),
        ("与此同时，在厨房里，水开了。", "厨房"),  # noqa: RUF001
    ],
)
def test_a_told_text_opens_with_its_place_in_eight_languages(text: str, place: str | None) -> None:
    found = heading(text, told=True)
    assert (found.place if found else None) == place


@pytest.mark.parametrize(
    "text",
    [
        "NO. I will not.",
        "WAIT. What did you say?",
        "In the kitchen we have mice.",
        "(kitchen knife in hand) Come here.",
        "*walks into the cellar*",
        "*fins flat*",
        "Kitchen? What kitchen?",
        "OK. See you in the garden.",
    ],
)
def test_what_is_only_said_or_done_is_no_heading(text: str) -> None:
    assert heading(text, told=False) is None


def test_no_heading_is_read_within_a_quotation() -> None:
    text = 'ATTIC. Ann reads: "CELLAR. Do not enter. Meanwhile, in the kitchen, …" CELLAR. Ben sneezes.'
    assert [each.place for each in headings(text)] == ["attic", "cellar"]


async def test_who_is_told_of_under_one_heading_does_not_hear_what_is_said_under_another() -> None:
    lines = [
        ("narrator", "KITCHEN. Ann and Ben are washing up."),
        ("narrator", "CELLAR. Cy holds the lamp for Dora."),
        ("cy", "CELLAR. The third brick is loose."),
    ]
    assert await hear(*lines) == {"cy", "dora"}
    assert await hear(*lines, ("dora", "Then pull it out.")) == {"cy", "dora"}
    assert await hear(*lines, ("ben", "KITCHEN. Did you hear something?")) == {"ann", "ben"}


async def test_two_conversations_go_on_side_by_side_without_headings_on_every_line() -> None:
    lines = [
        ("narrator", "KITCHEN. Ann and Ben are washing up."),
        ("narrator", "CELLAR. Cy holds the lamp for Dora."),
        ("ann", "Pass me the towel."),
        ("dora", "Higher, I cannot see."),
    ]
    assert await hear(*lines[:3]) == {"ann", "ben"}
    assert await hear(*lines) == {"cy", "dora"}


async def test_a_heading_where_the_story_opens_takes_everybody_along_if_it_names_nobody() -> None:
    assert await hear(("narrator", "KITCHEN. Rain on the panes."), ("ann", "KITCHEN. Tea?")) == {
        "ann",
        "ben",
        "cy",
        "dora",
    }


async def test_a_narration_that_tells_of_several_places_is_heard_piece_by_piece() -> None:
    lines = [
        ("narrator", "KITCHEN. Ann and Ben are washing up."),
        ("narrator", "CELLAR. Cy holds the lamp for Dora."),
        ("narrator", "KITCHEN. A plate breaks. CELLAR. The lamp goes out."),
    ]
    settled = (await told(*lines))[-1].settled
    assert settled.heard_by("ann") == "KITCHEN. A plate breaks."
    assert settled.heard_by("dora") == "CELLAR. The lamp goes out."


async def test_meanwhile_elsewhere_reaches_those_it_tells_of() -> None:
    lines = [("ann", "Sit down, all of you."), ("narrator", "Meanwhile, in the garden, Dora digs a hole.")]
    assert await hear(*lines, present=("ann", "ben", "cy")) == {"dora"}


async def test_what_is_called_to_another_floor_by_name_is_heard_there_and_answered() -> None:
    lines = [
        ("narrator", "KITCHEN. Ann and Ben are washing up."),
        ("narrator", "ATTIC. Cy and Dora look through a trunk."),
        ("ann", "KITCHEN. Cy! Supper!"),
        ("cy", "ATTIC. Coming!"),
    ]
    assert {"ann", "ben", "cy"} <= await hear(*lines[:3])
    assert {"ann", "cy", "dora"} <= await hear(*lines)


async def test_a_channel_reaches_those_who_are_on_it() -> None:
    lines = [
        ("ann", "[CH 1] Base to all. Over."),
        ("ben", "[CH 1] Ben here. Over."),
        ("cy", "[CH 1] Cy here. Over."),
        ("ben", "[CH 2] Cy, are you on two?"),
        ("cy", "[CH 2] I am. Not a word to base."),
        ("ann", "[CH 1] Where is everybody?"),
    ]
    present = ("ann", "ben", "cy")
    assert await hear(*lines[:3], present=present) == {"ann", "ben", "cy"}
    assert await hear(*lines[:5], present=present) == {"ben", "cy"}
    assert await hear(*lines, present=present) == {"ann"}


async def test_a_heading_in_brackets_is_no_thought() -> None:
    settled = (await told(("ann", "Hush."), ("ben", "[Kitchen] It smells of gas.")))[-1].settled
    assert settled.heard_by("ben") == "[Kitchen] It smells of gas."


async def test_a_claim_within_a_quotation_moves_nobody() -> None:
    lines = [("ann", "Hush."), ("ben", 'He wrote: "CELLAR. Ann sleeps."'), ("ann", "Did he?")]
    assert await hear(*lines) == {"ann", "ben", "cy", "dora"}


async def test_two_who_leave_the_others_talk_among_themselves_until_they_come_back() -> None:
    lines = [
        ("ann", "The key is lost."),
        ("ben", "So it is."),
        ("cy", "Again?"),
        ("narrator", "Ann and Ben leave the room."),
        ("ann", "Nobody can hear us now."),
        ("dora", "What are they up to?"),
        ("narrator", "Ann and Ben come back."),
        ("cy", "Well?"),
    ]
    assert await hear(*lines[:5]) == {"ann", "ben"}
    assert await hear(*lines[:6]) == {"cy", "dora"}
    assert await hear(*lines) == {"ann", "ben", "cy", "dora"}


async def test_who_comes_in_is_where_the_narration_says_that_it_happens() -> None:
    lines = [
        ("narrator", "KITCHEN. Ann and Ben are washing up."),
        ("narrator", "CELLAR. Cy holds the lamp for Dora."),
        ("narrator", "KITCHEN. Cy comes in with a jar."),
        ("ben", "KITCHEN. Is that jam?"),
    ]
    assert await hear(*lines) == {"ann", "ben", "cy"}


@pytest.mark.parametrize(
    "text",
    [
        "THE HARBOUR. That is where I was born, Ben.",
        "GARAGE: sold. AT LAST!",
        "FLAT: two rooms, no lift, anyone?",
        "LIBRARY: shut on Mondays, sorry Cy",
        "THE ATTIC: nobody sleeps up there!",
        "INT 12, my worst one, Ben",
        "INT. is short for interior, by the way.",
        "(In the garden we grow beans, Ben.)",
        "[In the cellar there is a well] Ben, mind it!",
        "*In the attic, where else!* Ben, who left the ladder?",
        "*Garden*, she said.",
        "KITCHEN (if you must know, Ben)",
        "MEANWHILE IN THE CELLAR... no, I am joking, Ben",
    ],
)
async def test_what_is_said_in_capitals_or_brackets_stays_where_it_is_said(text: str) -> None:
    judged = await told(("ben", "Well?"), ("ann", text), ("ann", "Tea is ready, everybody."))
    assert all(set(each.settled.participants) >= {"ann", "ben", "cy", "dora"} for each in judged)


@pytest.mark.parametrize(
    "text",
    [
        "CELLAR.\nMind the third step.",
        'CELLAR. "Mind the third step," Ann said.',
        "INT. CELLAR – NIGHT\nMind the third step.",
        "[Cellar] Mind the third step.",
        "(in the cellar) Mind the third step.",
    ],
)
async def test_a_character_who_sets_a_heading_is_where_it_says(text: str) -> None:
    assert await hear(("ben", "Well?"), ("ann", text)) == {"ann"}


TWO_ROOMS = (("narrator", "KITCHEN. Ann and Cy are washing up."), ("narrator", "CELLAR. Ben and Dora look for jam."))


@pytest.mark.parametrize(
    "going", ["Ben went to the cellar.", "Ben and Cy went to the harbour.", "Ben and Cy left the room."]
)
@pytest.mark.parametrize(
    "line",
    [
        "Ben, you old thief, I know where you keep it.",
        "Oh Ben, where are you now? I sold your boat.",
        "Ben, wherever you are, forgive me: I burnt the letter.",
    ],
)
async def test_who_is_elsewhere_does_not_hear_that_they_are_spoken_of_by_name(going: str, line: str) -> None:
    assert "ben" not in await hear(("ann", "Sit down."), ("narrator", going), ("ann", line))
    assert await hear(*TWO_ROOMS, ("ann", line)) == {"ann", "cy"}


@pytest.mark.parametrize("line", ["Ben! Supper!", '*shouts down the stairs* "Ben, supper is ready."'])
async def test_what_is_called_to_another_room_reaches_whom_it_names(line: str) -> None:
    assert "ben" in await hear(*TWO_ROOMS, ("ann", line))


async def test_who_was_not_heard_in_another_room_is_not_answered_there() -> None:
    lines = (("ben", "Ann, where is the lamp?"), ("ann", "Now that he is out: the map is behind the clock."))
    assert await hear(*TWO_ROOMS, *lines) == {"ann", "cy"}
