"""A summary of one message reaches whom the message would reach, on the same days, whatever changes meanwhile."""

from contextlib import AbstractAsyncContextManager, suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from earwitness import Earwitness, Session
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness_relationships.errors import RulesError
from earwitness_relationships.rules.records import Rules
from earwitness_relationships.testing.cases import PEOPLE, LeakCase, case
from earwitness_relationships.testing.played_cases import as_file, begun, text_of
from earwitness_relationships.testing.reference import has_caps

CASES = [number for number in range(60) if not has_caps(case(number).book)][:20]
"""Without coins and caps, which count messages."""
PARTS = 4


def in_memory(settings: dict[str, Any]) -> AbstractAsyncContextManager[Earwitness]:
    parts = {"embedder": "none", "detector": "everyone", "world_agent": "none", "strict": True}
    return Earwitness.open(store=MemoryStore(), ledger=MemoryLedger(), **parts, **settings)


def told(given: LeakCase, when: str) -> LeakCase:
    """The same case, in which every rule tells at this time, and most of it takes days and goes on."""

    def at(rules: Rules, *, is_pantheon: bool = False) -> Rules:
        onward = {"delay": rules.delay or 1, "max_hops": 5, "gossip_about_others": True, "decay": None}
        return rules.model_copy(update={"when": when, **onward} if is_pantheon else {"when": None})

    pantheons = [
        each.model_copy(
            update={
                "rules": at(each.rules, is_pantheon=True),
                "members": tuple(one.model_copy(update={"rules": at(one.rules)}) for one in each.members),
                "relationships": tuple(one.model_copy(update={"rules": at(one.rules)}) for one in each.relationships),
            }
        )
        for each in given.book.pantheons
    ]
    return given.model_copy(update={"book": given.book.model_copy(update={"pantheons": tuple(pantheons)})})


def write(folder: Path, rules: str) -> None:
    folder.mkdir()
    (folder / "rules.json").write_text(rules, "utf-8")


async def learned(given: LeakCase, folder: Path, when: str) -> dict[str, float]:
    """Who is told of the first message of a case → the first day. Summaries of two tellers are two memories."""
    write(folder, as_file(told(given, when).book))
    graph = {"name": "networkx", "path": str(folder / "graph.db")}
    async with in_memory({"relationships": {"rules": str(folder / "rules.json"), "graph": graph}}) as ew:
        story, random = await begun(ew, given), Random(given.number)
        heard = given.conversation[0]
        seed = heard.seed
        await story.say(seed.speaker, text_of(seed), key="m", audience=list(seed.direct), channel=heard.channel)
        if when == "conversation":
            await story.close_conversation(heard.channel)
        day = seed.day
        for _ in range(5):
            await meddle(story, given, random)
            day += random.choice((0.5, 1, 2))
            await story.change(game_day=day)
        await story.delivered()
        found = {who: (await story.backstage().inspect(who)).memories for who in PEOPLE if who not in seed.direct}
        days = {who: [each.learned_day or 0 for each in memories] for who, memories in found.items()}
        return {who: min(of) for who, of in days.items() if of}


async def meddle(story: Session, given: LeakCase, random: Random) -> None:
    """Change who is what to whom, or who is a member."""
    slug, one, other = random.choice(given.book.pantheons).slug, *random.sample(PEOPLE, 2)
    with suppress(RulesError):  # somebody who is a member already, or is none
        match random.choice(("relate", "remove", "add", "flag", "nothing")):
            case "relate":
                rules = ["gossip_about_others", {"delay": 1}]
                await story.relationships.relate(one, other, "friend", rules=rules, pantheon=slug)
            case "remove":
                await story.relationships.pantheons.remove_member(slug, one)
            case "add":
                await story.relationships.pantheons.add_member(slug, one)
            case "flag":
                await story.change(flags={"war": random.random() < 0.5})
            case _:
                pass


@pytest.mark.parametrize("part", range(PARTS))
async def test_a_summary_reaches_whom_the_message_would_reach_on_the_same_days(part: int, tmp_path: Path) -> None:
    for number in CASES[part::PARTS]:
        found = [
            await learned(case(number), tmp_path / f"{number} {when}", when) for when in ("message", "conversation")
        ]
        assert found[0] == found[1], f"case {number}"
