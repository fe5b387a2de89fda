"""What members of a large pantheon are told of a user's persona outlives the story, as if each had a copy."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from earwitness import Character, Earwitness, Session

Open = Callable[..., Awaitable[Earwitness]]
KENJI = Character("kenji", kind="persona", user_id="u1", persona_id="p1")
GODS = ["isis", "ra", "set", "thoth"]
SISTER = "My sister is called Mira."
Kept = list[tuple[object, ...]]


async def kept(ew: Earwitness, who: str) -> Kept:
    fields = ("interactionType", "sharedFrom", "pantheonId", "hop", "strength", "learnedDay", "messageIds")
    found = await ew.engine.store.list(f"persona-p1-{who}")
    return sorted((each.text, *(str(each.metadata.get(name)) for name in fields)) for each in found)


async def recalled(story: Session, who: str) -> list[str]:
    turn = await story.turn(who, query="sister", in_prompt=[])
    assert turn.failures == ()
    return [each.memory.text.partition("Kenji: ")[2].partition(" GameDay")[0] for each in turn.memories]


@pytest.mark.parametrize("delay", [0, 1])
async def test_who_reads_it_in_a_hub_remembers_the_persona_in_later_stories(
    open_app: Open, tmp_path: Path, delay: int
) -> None:
    answers = []
    for hub_from in (99, 2):
        file = tmp_path / f"{hub_from}.yaml"
        rules = f"{{propagate_all: true, hub_from: {hub_from}, delay: {delay}}}"
        file.write_text(f"gods: {{rules: {rules}, members: [{', '.join(GODS)}]}}")
        graph = {"name": "networkx", "path": str(tmp_path / f"{hub_from}.db")}
        ew = await open_app(relationships={"canon": "personal", "rules": str(file), "graph": graph})
        story = await ew.session("s1", cast=[*GODS, KENJI])
        await story.say("kenji", SISTER, audience=["isis", "ra"])
        await story.change(game_day=3)
        await story.delivered()
        here = {who: (await kept(ew, who), await recalled(story, who)) for who in GODS}
        later = await ew.session("s2", cast=[*GODS, KENJI])
        await later.change(game_day=3)
        answers.append((here, {who: await recalled(later, who) for who in GODS}))
    assert answers[0] == answers[1]
    here, later = answers[1]
    assert here["set"][1] == later["set"] == [SISTER]
    assert len(here["set"][0]) == 1
