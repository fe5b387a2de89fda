"""A host on three channels: a tavern, a market, and direct messages. Run it twice: the second run changes nothing.

    python examples/three_channels.py [story.db]

A real host has events from its users and answers from its model. Here both are written down below.
"""

from __future__ import annotations

import asyncio
import sys

from earwitness import Channel, Earwitness, Session

TAVERN = Channel(context="public_channel", channel_id="tavern", guild_id="inn")
MARKET = Channel(context="public_channel", channel_id="market", guild_id="inn")
WHISPERS = Channel(context="dm", channel_id="alice-kenji")


async def begin(ew: Earwitness) -> Session:
    """The story, and who is in which channel. All of it may be repeated: each call has a key."""
    story = await ew.session("inn", cast=["alice", "bob", "kenji"], state={"current_scene": "tavern"})
    await story.channel(TAVERN, ["alice", "bob"], place="tavern", key="members-tavern")
    await story.channel(MARKET, ["kenji"], place="market", key="members-market")
    await story.channel(WHISPERS, ["alice", "kenji"], key="members-whispers")
    return story


async def hear(story: Session, key: str, speaker: str, text: str, channel: Channel) -> None:
    """An event from a user. Events may come twice."""
    if not await story.has(key):
        await story.say(speaker, text, key=key, channel=channel)


async def ask_model(prompt: str, line: str) -> str:
    """Where a host calls its model with the prompt. This one answers as it is told."""
    return line if prompt else ""


async def answer(story: Session, key: str, character: str, channel: Channel, line: str) -> None:
    """A character's turn. A model may answer otherwise the second time, so what has a key is not asked for again."""
    if not await story.has(key):
        turn = await story.turn(character, channel=channel)
        prompt = turn.fill(f"You are {character}.\n###SUPERMEMORY###")
        await turn.say(await ask_model(prompt, line), key=key)


async def swipe(story: Session, key: str, character: str, line: str) -> None:
    """Another answer in place of an earlier one, recalled as before it."""
    if not await story.has(f"{key}-swiped"):
        prompt = (await story.turn(character, before=key)).fill(f"You are {character}.\n###SUPERMEMORY###")
        await story.reroll(await ask_model(prompt, line), key=key, own_key=f"{key}-swiped")


async def play(story: Session) -> None:
    """What happens."""
    await hear(story, "m1", "alice", '"The map is in the cellar." [Kenji must never hear of it.]', TAVERN)
    await answer(story, "m2", "bob", TAVERN, '"Then we leave at dawn."')
    await swipe(story, "m2", "bob", '"Then we leave at midnight."')
    await hear(story, "m3", "kenji", "Fresh fish! Who wants fresh fish?", MARKET)
    await hear(story, "m4", "alice", "Meet me at the bridge.", WHISPERS)
    await answer(story, "m5", "kenji", WHISPERS, "I will bring the rope.")
    await hear(story, "m6", "bob", "The landlord waters the beer.", TAVERN)
    await hear(story, "m7", "alice", "Nobody trusts the baker.", TAVERN)
    await story.edit("m7", "Nobody trusts the miller.", own_key="m7-edited")
    if "dora" not in story.cast:  # a late joiner remembers nothing from before
        await story.join("dora")
    await story.channel(TAVERN, ["alice", "bob", "dora"], place="tavern", key="members-tavern-2")
    await hear(story, "m8", "dora", "What a cosy place.", TAVERN)


async def what_if(story: Session) -> Session:
    """A branch: what if Bob had stayed? It shares everything up to the fourth message."""
    branch = await story.fork("inn-what-if", at="m4")
    await hear(branch, "b1", "bob", "I stay here and guard the map.", TAVERN)
    return branch


async def show(story: Session) -> None:
    """Who remembers what."""
    await story.delivered()
    print(story.id)
    for member in story.cast:
        said = [each.heard_by(member.id) for each in await story.messages(heard_by=member.id)]
        print(f"  {member.name}: {' | '.join(said)}")


async def main(path: str) -> None:
    """One run of the host."""
    async with Earwitness.open(path, relationships={}) as ew:  # so that what is said in direct messages stays there
        story = await begin(ew)
        await play(story)
        branch = await what_if(story)
        await show(story)
        await show(branch)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "story.db"))
