"""The program that test_kill kills: it plays 200 turns into one file and prints each key once it is acknowledged.

    python killed_play.py FILE TOKEN

Its detector decides by chance, from the token of this process, which it gives as evidence: a message decided twice
would be decided otherwise. Played again, it makes the same calls under the same keys.
"""

import asyncio
import random
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any

from earwitness import Earwitness, Memory, Moment, Outcome, Perceived, Presence, Session, Settings
from earwitness.loading.resources import Resources
from earwitness.testing.scripted import Crier, Faulty, Gossip
from earwitness_plugins.embedders.static import StaticEmbedder
from earwitness_plugins.ledgers.sqlite import SqliteLedger
from earwitness_plugins.stores.sqlite import SqliteStore

CAST = ("alice", "bob", "carol", "dave")
TURNS = 200
STORY = "s1"
LAST_DAY = 99


class ByChance:
    """Each of the cast hears each message or not, as this process throws the dice."""

    def __init__(self, token: str) -> None:
        self.token = token
        self.dice = random.Random(token)

    def detect(self, moment: Moment) -> Presence:
        hears = Perceived(probability=1, role="present", evidence=(self.token,))
        return Presence(characters={id: hears for id in CAST if self.dice.random() < 0.5})


def keys() -> Iterator[str]:
    """The keys of all calls, in order."""
    for turn in range(TURNS):
        kind = "change" if turn % 10 == 9 else "retract" if turn % 26 == 25 else "edit" if turn % 7 == 6 else "say"
        yield f"{kind}-{turn}"
    yield f"change-{TURNS}"


async def call(story: Session, key: str) -> Outcome:
    """Make the call that goes by this key."""
    kind, turn = _parts(key)
    match kind:
        case "change":
            day = LAST_DAY if turn == TURNS else 1 + turn // 10
            return await story.change(game_day=day, description=f"News {turn}", audience="public", key=key)
        case "edit":
            return await story.edit(_said_before(turn), f"The corrected words of turn {turn}.", own_key=key)
        case "retract":
            return await story.retract(_said_before(turn), own_key=key)
    return await story.say(CAST[turn % len(CAST)], f"The words of turn {turn}.", key=key)


def _parts(key: str) -> tuple[str, int]:
    kind, _, turn = key.partition("-")
    return kind, int(turn)


def _said_before(turn: int) -> str:
    """The key of a message said a few turns before; retractions and edits meet on some."""
    said = [key for key in keys() if key.startswith("say") and _parts(key)[1] < turn]
    return said[-3] if turn % 2 else said[-1]


def _taking_its_time(store: SqliteStore) -> Callable[..., Awaitable[None]]:
    """Writes that take longer, so that more kills come between a plan and its memories."""

    async def put(memories: Sequence[Memory]) -> None:
        await asyncio.sleep(0.003)
        await store.put(memories)
        await asyncio.sleep(0.001)

    return put


async def play(path: str, token: str) -> None:
    resources = Resources()
    store = SqliteStore(path=path, embedder=StaticEmbedder(), resources=resources)
    strategies: dict[str, Any] = {
        "ledger": SqliteLedger(path=path, resources=resources),
        "store": Faulty(store, put=_taking_its_time(store)),
        "detector": ByChance(token),
        "world_agent": Crier(),
        "sharing_rules": [Gossip({"bob": ["dave"]}, delay=1)],
    }
    settings = Settings.of(plugins=[], detector="none", world_agent="none", strict=True)
    async with Earwitness.open(settings=settings, **strategies) as ew:
        story = await ew.session(STORY, cast=CAST)
        for key in keys():
            await call(story, key)
            print(key, flush=True)
        await story.settled()
    print("done", flush=True)


if __name__ == "__main__":
    asyncio.run(play(sys.argv[1], sys.argv[2]))
