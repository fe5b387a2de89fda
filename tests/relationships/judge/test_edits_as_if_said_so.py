"""Whenever a message is edited, all know the new words as if they had been said from the beginning, by random rules."""

import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from earwitness import Earwitness
from earwitness.errors import EarwitnessError

Opener = Callable[..., Awaitable[Earwitness]]
CAST = ["ann", "ben", "cid", "dan", "eve"]
OLD, NEW = "The old words.", "The new words."
Step = tuple[str, dict[str, Any]]


@pytest.mark.parametrize("number", [8, 10, 14, 27, 38, 44, 62, 111, 135, 145, 149])
async def test_an_edit_reaches_whom_the_new_words_would_have_reached(
    open_app: Opener, tmp_path: Path, number: int
) -> None:
    random = Random(number)
    book, steps = book_of(random, hubs=number % 3 == 2), steps_of(random)
    when = random.randrange(1, len(steps))
    known = []
    for edited_after in (None, when):
        folder = tmp_path / str(edited_after)
        folder.mkdir()
        (folder / "rules.json").write_text(json.dumps(book))
        graph = {"name": "networkx", "path": str(folder / "graph.db")}
        ew = await open_app(relationships={"rules": str(folder / "rules.json"), "graph": graph})
        known.append(await played(ew, steps, edited_after))
    assert known[0] == known[1], f"{book} {steps} {when}"


def book_of(random: Random, *, hubs: bool) -> dict[str, Any]:
    """Two groups, some members for some days, and a few relationships with rules of their own."""
    book: dict[str, Any] = {}
    for slug in ("town", "inn"):
        members: list[Any] = random.sample(CAST, random.randint(2, 4))
        if random.random() < 0.4:
            members[-1] = {"id": members[-1], "until": random.choice((1, 2, 4))}
        pairs = [random.sample(CAST, 2) for _ in range(random.randint(0, 2))]
        rules = {"propagate_all": True, **options(random), **({"hub_from": 1} if hubs else {})}
        book[slug] = {"members": members, "rules": rules}
        book[slug]["relationships"] = [
            {"from": a, "to": b, "type": "friend", "rules": ["gossip_about_others", options(random)]}
            for a, b in dict.fromkeys(map(tuple, pairs))
        ]
    return book


def options(random: Random) -> dict[str, Any]:
    found: dict[str, Any] = {"delay": random.choice((0, 0.5, 1, 1, 2)), "max_hops": random.choice((1, 2, 9))}
    return found | ({"conditions": {"flags": {"curfew": False}}} if random.random() < 0.4 else {})


def steps_of(random: Random) -> list[Step]:
    """What happens after the message was said."""
    steps: list[Step] = []
    day = 0.0
    for _ in range(random.randint(3, 7)):
        who, slug, friend = random.choice(CAST), random.choice(("town", "inn")), random.choice(CAST)
        day += random.choice((0, 0.5, 1, 2))
        steps += random.choice(
            [
                [("remove_member", {"at": (slug, who)})],
                [("add_member", {"at": (slug, who)})],
                [("end_member", {"at": (slug, who), "until": day})],
                [("end", {"at": (who, friend)})],
                [("flags", {"flags": {"curfew": random.random() < 0.5}})],
                [("retract", {})],
                [("join", {})],
                [],
            ]
        )
        steps.append(("day", {"game_day": day}))
    return [*steps, ("day", {"game_day": day + 3})]


async def played(ew: Earwitness, steps: list[Step], edited_after: int | None) -> dict[str, list[tuple[str, ...]]]:
    story = await ew.session("s1", cast=CAST)
    await story.change(flags={"curfew": False})
    await story.say("ben", NEW if edited_after is None else OLD, audience=[], key="k0")
    for number, (kind, given) in enumerate(steps):
        with suppress(EarwitnessError):  # of what is not there
            await done(story, kind, {**given}, f"step-{number}")
        if number == edited_after:
            await story.edit("k0", NEW)
        await story.delivered()
    return {who: await known(story, who) for who in CAST}


async def done(story: Any, kind: str, given: dict[str, Any], key: str) -> None:
    at = given.pop("at", ())
    match kind:
        case "remove_member" | "add_member" | "end_member":
            await getattr(story.relationships.pantheons, kind)(*at, **given, key="last")
        case "end":
            await story.relationships.end(*at, "friend", key=key)
        case "retract":
            await story.retract("last")
        case "join":
            await story.join("gus", key=key)
        case _:
            await story.change(**given, key=key)


async def known(story: Any, who: str) -> list[tuple[str, ...]]:
    turn = await story.turn(who, query="words", in_prompt=[])
    found = [each.memory for each in turn.memories if "words" in each.memory.text]
    texts = (NEW if NEW in each.text else each.text for each in found)
    return sorted(
        (text, str(each.metadata.get("sharedFrom")), str(each.learned_day))
        for text, each in zip(texts, found, strict=True)
    )
