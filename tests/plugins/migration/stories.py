"""Stories in which most things happen that a ledger records."""

from typing import Any

from earwitness import Earwitness, Plugin, RecallAnswer, RecallEvent
from earwitness.containers import Container
from earwitness.testing.scripted import Crier, Gossip

CAST = ("alice", "bob", "carol", "dave")
THINGS = ("sword", "crown", "lantern", "map", "ring", "shield", "flute", "mirror", "cloak", "key")
PLACES = ("cave", "tavern", "tower", "harbour", "garden", "cellar", "market", "chapel", "forest", "bridge")
DEEDS = ("hid", "found", "dropped", "sold", "broke", "painted")
GUILD = Container(name="guild-smiths", kind="guild", owner="smiths")
LODGE = Container(name="lodge-owls", kind="lodge", owner="owls")


class Counter(Plugin):
    """Counts recalls, outside of any plan."""

    def on_recall(self, event: RecallEvent) -> RecallAnswer:
        event.data["recalls"] = event.data.get("recalls", 0) + 1
        return RecallAnswer()


def strategies() -> dict[str, Any]:
    """What decides in these stories."""
    return {
        "detector": "none",
        "world_agent": Crier(),
        "sharing_rules": [Gossip({"bob": ["dave"]}, delay=2)],
        "plugins": [Counter()],
    }


def sentences(count: int) -> list[str]:
    """Different sentences, each of which can be found by its words."""
    return [f"{DEEDS[n % 6].title()} the {THINGS[n % 10]} in the {PLACES[n // 10 % 10]}." for n in range(count)]


async def record(ew: Earwitness, *, messages: int = 40) -> None:
    """Messages to some, edits, retractions, archives, gossip, a branch, somebody forgotten, shared containers."""
    await ew.register(GUILD, LODGE)
    await ew.admit(GUILD, "carol", since=1)
    await ew.admit(LODGE, "carol")
    story = await ew.session("s1", cast=CAST, present=CAST)
    for number, text in enumerate(sentences(messages)):
        heard = [id for place, id in enumerate(CAST) if (number >> place) % 2 or number % 5 == 0]
        await story.say(CAST[number % 3], text, key=f"m{number}", audience=heard)
        if number % 9 == 8:
            await story.change(
                game_day=1 + number // 9, description=f"News {number}", audience="public", key=f"n{number}"
            )
    await story.edit("m3", "Lost the lantern in the cave.")
    await story.retract("m5")
    await story.remember("alice", "Bob is to be trusted", rests_on=["m1"], key="f1")
    await story.remember(None, "The guild pays well", container=GUILD, key="f2")
    await story.remember(None, "The owls meet at night", container=LODGE, key="f3")
    await story.archive("m7", key="a1")
    await story.archive("m8", key="a2")
    await story.restore("m8", key="r1")
    await story.delivered()
    await ew.forget_container(LODGE)
    await story.fork("twig", at="m20")
    await story.forget("dave")
    await story.join("dave")
    await story.say("bob", "The new Dave hears of the last ring.", key="last", audience=["alice", "dave"])
    await story.delivered()
    await story.turn("alice", query="the sword")
    branch = await ew.open_session("twig")
    await branch.say("alice", "In the branch nobody knows of the whale.", key="b1", audience=["carol"])
    await branch.delivered()


async def contents(ew: Earwitness) -> dict[str, list[dict[str, Any]]]:
    """Everything that anybody remembers, by container."""
    found = {}
    for id in (None, *await ew.engine.ledger.sessions()):
        for container in await ew.engine.ledger.containers(id):
            held = await ew.engine.store.list(container.name)
            found[container.name] = [each.model_dump(mode="json") for each in held]
    return found
