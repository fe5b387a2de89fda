"""Who reads what in a hub when a membership is lengthened or shortened, and when that is retracted: as with copies."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from earwitness import Earwitness, Session

Opener = Callable[..., Awaitable[Earwitness]]
Step = tuple[str, Any]
RULES = "nile: {members: [ra, isis, set], rules: {propagate_all: true, hub_from: FROM, delay: DELAY}}"
NEVER, ALWAYS = 99, 2


async def played(ew: Earwitness, steps: list[Step], everywhere: bool = False) -> list[str]:
    """Play a story, and say what Isis has heard after each day, on which Ra says something to himself; `everywhere`
    changes the graph of all stories."""
    story = await ew.session("s", cast=["ra", "isis", "set"])
    made: list[str] = []
    found: list[str] = []
    for what, given in steps:
        match what:
            case "day":
                found.append(await passed(story, given))
            case "retract":
                await story.retract(made[given])
            case "fork":
                story = await story.fork("branch")
            case "import":
                lines = [line async for line in story.backstage().export()]
                story = await ew.import_session(lines, id="copy")
            case _:
                outcome = await changed((ew if everywhere else story).relationships.pantheons, what, given)
                made.append(str(getattr(outcome, "key", "")))
    return found


async def changed(pantheons: Any, what: str, given: Any) -> Any:
    """Change the pantheon, or Isis' membership in it."""
    match what:
        case "until":
            return await pantheons.change_member("nile", "isis", until=given)
        case "end":
            return await pantheons.end_member("nile", "isis", until=given)
        case "remove":
            return await pantheons.remove_member("nile", "isis")
        case "add":
            return await pantheons.add_member("nile", "isis")
        case "remove the pantheon":
            return await pantheons.remove("nile")
    rules = {"propagate_all": True, "hub_from": given}
    return await pantheons.create("nile", members=["ra", "isis", "set"], rules=rules)


async def passed(story: Session, day: int) -> str:
    """The days of which Isis knows something, on this day."""
    await story.change(game_day=day)
    await story.say("ra", f"The river has risen {day} feet.", audience=[])
    await story.delivered()
    turn = await story.turn("isis", query="the river has risen", in_prompt=[], memories=20)
    assert turn.failures == ()
    return "".join(sorted(str(int(each.memory.game_day or 0)) for each in turn.memories))


def days(*numbers: int) -> list[Step]:
    return [("day", each) for each in numbers]


STORIES: dict[str, tuple[list[Step], list[str]]] = {
    "lengthened too late": (
        [*days(1), ("until", 2), *days(2, 3, 4), ("until", 6), *days(5, 6, 7)],
        ["1", "12", "12", "12", "125", "1256", "1256"],
    ),
    "lengthened too late, and retracted": (
        [*days(1), ("until", 2), *days(2, 3), ("until", 6), *days(4), ("retract", 1), *days(5, 6)],
        ["1", "12", "12", "124", "124", "124"],
    ),
    "lengthened in time, and retracted": (
        [*days(1), ("until", 3), *days(2), ("until", 6), *days(3, 4), ("retract", 1), *days(5, 6)],
        ["1", "12", "123", "1234", "1234", "1234"],
    ),
    "made endless, and retracted": (
        [*days(1), ("until", 2), *days(2, 3), ("until", None), *days(4), ("retract", 1), *days(5)],
        ["1", "12", "12", "124", "124"],
    ),
    "shortened, and retracted": (
        [*days(1), ("until", 3), *days(2, 3, 4, 5), ("retract", 0), *days(6)],
        ["1", "12", "123", "123", "123", "1236"],
    ),
    "shortened twice, and both retracted": (
        [*days(1), ("until", 5), ("until", 3), *days(3, 4), ("retract", 1), *days(5, 6), ("retract", 0), *days(7)],
        ["1", "13", "13", "135", "135", "1357"],
    ),
    "ended in the past, and retracted": (
        [*days(1, 2, 3), ("end", 1), *days(4), ("retract", 0), *days(5)],
        ["1", "12", "123", "123", "1235"],
    ),
    "lengthened, retracted, and lengthened again": (
        [*days(1), ("until", 2), *days(2), ("until", 9), *days(3), ("retract", 1), *days(4), ("until", 9), *days(5)],
        ["1", "12", "123", "123", "1235"],
    ),
    "shortened by one, lengthened by another, and the first retracted": (
        [*days(1), ("until", 2), *days(2, 3), ("until", 5), *days(4), ("retract", 0), *days(5, 6)],
        ["1", "12", "12", "124", "1245", "1245"],
    ),
    "removed and made a member again, and the removal retracted": (
        [*days(1), ("remove", 0), *days(2), ("add", 0), *days(3), ("retract", 0), *days(4)],
        ["1", "1", "13", "134"],
    ),
    "a member of a pantheon that is made anew": (
        [*days(1), ("remove", 0), *days(2), ("remove the pantheon", 0), ("make it anew", ALWAYS), *days(3)],
        ["1", "1", "13"],
    ),
    "a member of a pantheon whose making is retracted": (
        [("remove the pantheon", 0), ("make it anew", ALWAYS), *days(2), ("retract", 1), *days(3)],
        ["2", "2"],
    ),
    "retracted and branched": (
        [*days(1), ("until", 2), *days(2, 3), ("until", 9), *days(4), ("fork", 0), ("retract", 1), *days(5)],
        ["1", "12", "12", "124", "124"],
    ),
    "retracted and imported": (
        [*days(1), ("until", 2), *days(2, 3), ("until", 9), *days(4), ("retract", 1), ("import", 0), *days(5)],
        ["1", "12", "12", "124", "124"],
    ),
}
ON_THE_WAY: dict[str, tuple[list[Step], list[str]]] = {
    "lengthened in time for what arrives": (
        [*days(1), ("until", 2), *days(2), ("until", 6), *days(3, 4, 5, 6, 7)],
        ["", "", "1", "1", "13", "134", "134"],
    ),
    "lengthened, and retracted before it arrives": (
        [*days(1), ("until", 2), *days(2), ("until", 6), *days(3), ("retract", 1), *days(4, 5, 6)],
        ["", "", "1", "1", "1", "1"],
    ),
    "lengthened too late for what is on its way": (
        [*days(1), ("until", 1), *days(2, 3), ("until", 9), *days(4, 5, 6)],
        ["", "", "", "", "", "4"],
    ),
    "shortened, and retracted before it arrives": (
        [*days(1), ("until", 1), *days(2), ("retract", 0), *days(3, 4, 5)],
        ["", "", "1", "1", "13"],
    ),
}


@pytest.mark.parametrize("hub_from", [NEVER, ALWAYS], ids=["copies", "hub"])
@pytest.mark.parametrize("name", [*STORIES, *ON_THE_WAY])
async def test_a_membership_that_is_changed_and_changed_back(
    open_app: Opener, tmp_path: Path, name: str, hub_from: int
) -> None:
    delay, (steps, expected) = (0, STORIES[name]) if name in STORIES else (2, ON_THE_WAY[name])
    steps = [(what, hub_from if what == "make it anew" else given) for what, given in steps]
    file = tmp_path / "r.yaml"
    file.write_text(RULES.replace("FROM", str(hub_from)).replace("DELAY", str(delay)))
    ew = await open_app(relationships={"rules": str(file)})
    assert await played(ew, steps) == expected


@pytest.mark.parametrize("hub_from", [NEVER, ALWAYS], ids=["copies", "hub"])
@pytest.mark.parametrize(
    "name", [each for each in (*STORIES, *ON_THE_WAY) if "lengthened" in each and "retr" not in each]
)
async def test_a_membership_that_is_changed_for_all_stories(
    open_app: Opener, tmp_path: Path, name: str, hub_from: int
) -> None:
    delay, (steps, expected) = (0, STORIES[name]) if name in STORIES else (2, ON_THE_WAY[name])
    file = tmp_path / "r.yaml"
    file.write_text(RULES.replace("FROM", str(hub_from)).replace("DELAY", str(delay)))
    ew = await open_app(
        relationships={"rules": str(file), "graph": {"name": "networkx", "path": str(tmp_path / "g.db")}}
    )
    assert await played(ew, steps, everywhere=True) == expected
