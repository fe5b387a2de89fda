"""What the tests of disguises share: Count Fosco, who goes as Monsieur Roux."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from earwitness import Character, Earwitness, Session

Begin = Callable[..., Awaitable[Session]]
MILL = "I have bought the old mill."
ROUX = "Monsieur Roux"
CAST = (Character("count", name="Count Fosco"), Character("bob"), Character("charlie"), Character("dana"))
HERE = ("count", "bob", "charlie")


@asynccontextmanager
async def disguised_story(path: Path) -> AsyncIterator[Session]:
    """The count, known as Roux to Bob and Charlie, says that he has bought the mill; Bob answers."""
    async with Earwitness.open(path / "s.db", strict=True) as ew:
        story = await ew.session("s1", cast=CAST, present=HERE)
        await story.say("count", MILL, key="m1", speak_as=ROUX)
        await story.say("bob", "Good evening.", key="m2")
        yield story


async def shown(story: Session, character: str) -> str:
    """Everything that this character's turns show: prompts, queries, memories with ids and metadata."""
    about = await story.turn(character, query="the old mill", in_prompt=[])
    now = await story.turn(character)
    turns = "".join(f"{each.text()}{each.query}{each.notes}" for each in (about, now))
    held = (await story.backstage().inspect(character)).memories
    dumped = [each.model_dump_json() for each in (*about.memories, *now.memories, *held)]
    return turns + "".join(dumped)


def leaks(said: str) -> bool:
    return any(name in said.casefold() for name in ("fosco", '"count"', "count "))


async def knows(story: Session, question: str = "bought the old mill") -> dict[str, str]:
    found = await story.backstage().who_knows(question)
    return {id: str(knower).partition(": ")[2] for id, knower in found.knowers.items()}
