"""Three scenes of who tells whom, without a model: gossip among friends, an omniscient pantheon, a private bubble.

    python examples/who_tells_whom.py [folder]

A real host asks its model for what characters say. Here the lines are written down, and each prompt is printed, so that
one can see what a model would know.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from earwitness import Channel, Character, Earwitness, Session

RULES = Path(__file__).parent / "rules"
SAM = Character("sam", kind="persona", user_id="u1", persona_id="sam")
LOBBY = Channel(context="private_channel", channel_id="lobby", guild_id="hotel", persona_id="sam")
WHISPERS = Channel(context="dm", channel_id="sam-charlie", persona_id="sam")


def store(folder: str, name: str, rules: str) -> Earwitness:
    """A store of its own, with a graph beside it, under one rule file."""
    table = {"rules": str(RULES / rules), "canon": "personal"}
    return Earwitness.open(f"{folder}/{name}.db", detector="none", relationships=table)


async def answer(story: Session, character: str, query: str, channel: Channel, line: str | None = None) -> None:
    """A character's turn: print the prompt that a model would get, and say the line."""
    turn = await story.turn(character, query=query, channel=channel, in_prompt=[])
    name = story.cast[character].name
    print(f"--- prompt for {name} ({channel.context})")
    print(turn.fill(f"You are {name}.\n###SUPERMEMORY###").strip())
    if line is not None:
        print(f"{name}: {line}")
        await turn.say(line, audience=[character, "sam"])


async def gossip(folder: str) -> None:
    """Sam talks to Charlie, and Vaggie hears of it; of what Sam says in private she hears nothing."""
    print("=== Gossip among friends")
    async with store(folder, "gossip", "hotel.yaml") as ew:
        story = await ew.session("hotel", cast=["charlie", "vaggie", Character("angel_dust", name="Angel Dust"), SAM])
        await story.say("sam", "I have had some troubles at work.", audience=["charlie"], channel=LOBBY)
        await story.say("sam", "I am leaving this town tonight.", audience=["charlie"], channel=WHISPERS)
        await story.say("sam", "My shoes are wet.", audience=["angel_dust"], channel=LOBBY)
        await story.change(game_day=2)
        await story.delivered()
        query = "How is Sam? Is Sam leaving? Wet shoes?"
        await answer(story, "vaggie", query, LOBBY, "Charlie mentioned you were having some troubles.")
        await answer(story, "angel_dust", query, LOBBY)
        print(await story.backstage().who_knows("I have had some troubles at work"))


async def deities(folder: str) -> None:
    """Sam prays to Zeus, and the others have witnessed it."""
    print("=== An omniscient pantheon")
    async with store(folder, "deities", "deities.yaml") as ew:
        story = await ew.session("olympus", cast=["zeus", "hera", "hermes", SAM])
        await story.say("sam", "Zeus, I have stolen an apple.", audience=["zeus"], channel=LOBBY)
        await story.delivered()
        await answer(story, "hera", "Who has stolen an apple?", LOBBY, "I saw the apple in your hand, Sam.")
        print(await story.backstage().preview("sam", "I will bring it back.", audience=["hermes"], channel=LOBBY))


async def bubble(folder: str) -> None:
    """Sam and Charlie play vampires in private. It leaks nowhere, until it is kept as what the two have lived."""
    print("=== A private bubble, reconciled later")
    async with store(folder, "bubble", "hotel.yaml") as ew:
        story = await ew.session("hotel", cast=["charlie", "vaggie", SAM])
        played = await story.bubble("vampire-au")
        await played.say("sam", "I have been a vampire for a hundred years.", audience=["charlie"], channel=WHISPERS)
        await played.delivered()
        await answer(played.session, "charlie", "Who is a vampire?", WHISPERS, "Your secret is safe, vampire.")
        await played.end()
        for character, channel in (("charlie", WHISPERS), ("vaggie", LOBBY)):
            await answer(story, character, "Who is a vampire?", channel)
        print(await story.canon.reconcile("vampire-au", keep_as="personal"))
        await story.canon.reconcile("vampire-au", keep_as="personal", dry_run=False)
        await answer(story, "charlie", "Who is a vampire?", WHISPERS)
        await answer(story, "charlie", "Who is a vampire?", LOBBY)


async def main(folder: str) -> None:
    """All three scenes."""
    for scene in (gossip, deities, bubble):
        await scene(folder)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        asyncio.run(main(sys.argv[1]))
    else:
        with TemporaryDirectory() as empty:
            asyncio.run(main(empty))
