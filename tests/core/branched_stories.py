"""What the tests of branches, exports and imports share."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Protocol

from earwitness import (
    Character,
    Earwitness,
    Memory,
    MessageAnswer,
    MessageEvent,
    Moment,
    Plugin,
    Session,
    Update,
)
from earwitness.events import Share, SharingEvent

Begin = Callable[..., Awaitable[Session]]
OpenApp = Callable[..., Awaitable[Earwitness]]
Memories = Callable[[Session, str], Awaitable[Sequence[Memory]]]
Shelves = dict[str, list[tuple[str, dict[str, Any]]]]


class Directions(Protocol):
    moments: list[Moment]


class Gossip:
    """Whatever Bob hears, Charlie hears from him on day 5."""

    def share(self, event: SharingEvent) -> Iterable[Share]:
        if "bob" in event.message.participants:
            yield Share(character="charlie", shared_from="bob", rule="gossip", due=5)


class Counter(Plugin):
    """Counts the messages, and tells the world."""

    def on_message(self, event: MessageEvent) -> MessageAnswer:
        event.data["count"] = count = int(str(event.data.get("count", 0))) + 1
        return MessageAnswer(updates=(Update(description=f"Message {count} was said"),))


async def keys(memories: Memories, story: Session, owner: str) -> list[str]:
    return [key for memory in await memories(story, owner) for key in memory.message_keys]


async def shelves(memories: Memories, story: Session) -> Shelves:
    """Everything every container holds, in order, but for what a name of the session goes into."""
    owners = (*story.cast.ids, "world")
    return {owner: [(memory.content, memory.metadata) for memory in await memories(story, owner)] for owner in owners}


async def a_rich_story(begin: Begin, teller: Callable[..., Any], **given: Any) -> Session:
    """Somebody joins, somebody is forgotten; edits, rerolls, retractions, news, gossip yet to come."""
    story = await begin(
        cast=["alice", Character("bob", aliases=["Robert"]), "charlie"],
        state={"current_scene": "tavern"},
        present=["alice", "bob"],
        world_agent=teller(),
        sharing_rules=[Gossip()],
        plugins=[Counter()],
        **given,
    )
    await story.prepare(plot="A sword is lost.", lore=[{"text": "Dragons fear iron.", "key": "dragons"}])
    await story.update("A bell rang", key="u1", audience=["alice", "bob"])
    await story.say("alice", "The sword is blue.", key="m1", audience=["bob"])
    await story.say("bob", "Is it?", key="m2", audience=["alice"])
    await story.edit("m1", "The sword is red.")
    await story.join("dana", "eve")
    await story.say("dana", "What sword?", key="m3", audience=["alice", "eve"])
    await story.change(game_day=2, current_scene="cave", description="They went to the cave")
    await story.say("alice", "Nothing.", key="m4", audience=["dana"])
    await story.reroll("The Sacred Sword.")
    await story.say("eve", "Aha.", key="m5", audience=["dana"])
    await story.retract("m2")
    await story.prepare(lore=[{"text": "Dragons fear silver.", "key": "dragons"}])
    await story.forget("eve")
    await story.say("bob", "Who else knows?", key="m6", audience=["alice"])
    await story.settled()
    return story


# ── branches ──────────────────────────────────────────────────────────────────────────────────────────────────────────


async def three_messages(begin: Begin, **given: Any) -> Session:
    story = await begin(**given)
    for n in (1, 2, 3):
        await story.say("alice", f"Word {n}.", key=f"m{n}", audience=["bob"])
    return story


# ── export and import ─────────────────────────────────────────────────────────────────────────────────────────────────


async def exported(story: Session) -> list[dict[str, Any]]:
    """The export as it comes back from a file."""
    return [json.loads(json.dumps(line)) async for line in story.backstage().export()]
