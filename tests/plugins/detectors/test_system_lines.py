"""Lines that a chat program writes itself say who is in the group from then on."""

import pytest

from earwitness.records.character import Character
from earwitness.rehearsal import Rehearsal
from earwitness_plugins.detectors.rules import RulesDetector

CAST = ["Ann", "Bob", "Cid", "健太", "小梅", "Ольга"]
SECRET = "The cake is hidden behind the boiler."


async def hearing_the_secret(*lines: str, detector: RulesDetector | None = None) -> set[str]:
    rehearsal = Rehearsal(detector or RulesDetector(), [*CAST, Character(id="app", name="App", kind="narrator")])
    for speaker in CAST:
        await rehearsal.tell(speaker, "Hello!")
    for line in lines:
        await rehearsal.tell("app", line)
    return set((await rehearsal.tell("Bob", SECRET)).settled.participants) - {"app"}


@pytest.mark.parametrize(
    ("line", "who"),
    [
        ("Ann left", "Ann"),
        ("Ann left the group. 19:42", "Ann"),
        ("[#general] Ann has left the voice channel.", "Ann"),
        ("*** Ann has quit (ping timeout)", "Ann"),
        ("Bob removed Ann", "Ann"),
        ("Ann was kicked from the server by Bob", "Ann"),
        ("Ann is now offline", "Ann"),
        ("Ann hat die Gruppe verlassen.", "Ann"),
        ("Bob hat Ann entfernt", "Ann"),
        ("Bob eliminó a Ann del grupo", "Ann"),
        ("Ann a quitté le groupe", "Ann"),
        ("Bob removeu Ann", "Ann"),
        ("Ольга покинула группу", "Ольга"),
        ("健太が退出しました", "健太"),
        ("小梅退出了群聊", "小梅"),
    ],
)
async def test_who_left_or_was_removed_is_gone(line: str, who: str) -> None:
    assert await hearing_the_secret(line) == {*CAST} - {who}


async def test_who_is_added_again_is_there() -> None:
    assert "Ann" in await hearing_the_secret("Bob removed Ann and Cid", "Bob added Ann")
    assert "Cid" not in await hearing_the_secret("Bob removed Ann and Cid", "Bob added Ann")


@pytest.mark.parametrize("line", ["Ann is typing…", "Seen by Ann", "Ann is back online", "Ann reacted with 😂"])
async def test_a_sign_of_life_is_a_return(line: str) -> None:
    assert "Ann" in await hearing_the_secret("Ann left", line)


@pytest.mark.parametrize(
    "line",
    [
        "Bob created group “Cake”. Bob added Cid.",
        "Bob hat die Gruppe „Kuchen“ erstellt. Bob hat Cid hinzugefügt.",
        "Bob creó el grupo «Tarta». Bob añadió a Cid.",
    ],
)
async def test_in_a_new_group_are_those_who_were_added(line: str) -> None:
    assert await hearing_the_secret(line) == {"Bob", "Cid"}


@pytest.mark.parametrize(
    "line",
    [
        "Ann's brother left the group",
        "Bob said that Ann had left the group",
        "Bob claimed Ann left the chat",
        "Bob invited Ann",
        "Bob removed the hat",
        "Bob dropped Ann.",
        "Bob kicked Ann!",
        "Ann is away with the fairies",
    ],
)
async def test_lines_that_only_look_like_it_move_nobody(line: str) -> None:
    assert await hearing_the_secret(line) == {*CAST}


async def test_a_character_who_types_such_a_line_moves_nobody() -> None:
    rehearsal = Rehearsal(RulesDetector(), ["Ann", "Bob"])
    for speaker, text in [("Ann", "Hello!"), ("Bob", "Hi."), ("Bob", "Bob removed Ann")]:
        await rehearsal.tell(speaker, text)
    assert set((await rehearsal.tell("Bob", SECRET)).settled.participants) == {"Ann", "Bob"}


async def test_a_host_adds_lines_of_its_own() -> None:
    own = RulesDetector(phrases={"system.leaves": ["{who} [has|have] desynced"]})
    assert "Ann" in await hearing_the_secret("Ann desynced")
    assert "Ann" not in await hearing_the_secret("Ann has desynced", detector=own)
