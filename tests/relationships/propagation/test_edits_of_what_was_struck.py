"""An edit or reroll delivers nothing that was struck on its day, and takes nothing from those whom it had reached."""

from typing import Any

import pytest

OLD, NEW = "The old words.", "The old words!"
MEMBERS = "town: {rules: {propagate_all: true, delay: 1}, members: [ann, ben, dan]}"
COUPLE = """
town:
  members: [ann, ben, dan]
  relationships:
    - {from: ben, to: dan, type: couple, rules: [share_direct_interactions, {delay: 1}]}
"""
CURFEW = MEMBERS.replace("delay: 1", "delay: 1, conditions: {flags: {curfew: false}}")


async def heard(story: Any, who: str = "dan") -> list[str]:
    await story.delivered()
    return [each.content for each in (await story.backstage().inspect(who)).memories]


async def gone(story: Any, how: str) -> None:
    match how:
        case "member":
            await story.relationships.pantheons.remove_member("town", "dan")
        case "ended":
            await story.relationships.pantheons.end_member("town", "dan", until=1)
        case "pantheon":
            await story.relationships.pantheons.remove("town")
        case "couple":
            await story.relationships.end("ben", "dan", "couple", until=1)
        case "flag":
            await story.change(flags={"curfew": True})


@pytest.mark.parametrize("revise", ["edit", "reroll"])
@pytest.mark.parametrize("how", ["member", "ended", "pantheon", "couple", "flag"])
async def test_what_was_struck_on_its_day_stays_so(village: Any, how: str, revise: str) -> None:
    story = await village({"couple": COUPLE, "flag": CURFEW}.get(how, MEMBERS), "ann", "ben", "dan")
    await story.change(flags={"curfew": False})
    await story.say("ben", OLD, key="k0", audience=[])
    await gone(story, how)
    await story.change(game_day=2)
    assert await heard(story) == []
    await story.change(game_day=9)
    await story.edit("k0", NEW) if revise == "edit" else await story.reroll(NEW)
    assert await heard(story) == []
    branch = await story.fork("branch")
    await branch.edit("k0", OLD)
    assert await heard(branch) == []


@pytest.mark.parametrize("how", ["member", "pantheon", "flag"])
async def test_what_had_arrived_is_kept_in_the_new_words(village: Any, how: str) -> None:
    story = await village(CURFEW if how == "flag" else MEMBERS, "ann", "ben", "dan")
    await story.change(flags={"curfew": False})
    await story.say("ben", OLD, key="k0", audience=[])
    await story.change(game_day=2)
    await gone(story, how)
    await story.change(game_day=9)
    await story.edit("k0", NEW)
    (words,) = await heard(story)
    assert NEW in words
