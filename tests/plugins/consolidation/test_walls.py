"""Two stories, one of which sums up whatever it can after each step: nobody recalls more in it, and nothing is lost."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from earwitness import Channel, Character, Earwitness, Session, Settings
from earwitness.errors import InputError
from earwitness.testing.reference import MemoryLedger, MemoryStore

CAST = (
    Character("alice"),
    Character("bob"),
    Character("eve"),
    Character("kim", kind="persona", user_id="u1", persona_id="p1"),
    Character("lee", kind="persona", user_id="u2", persona_id="p2"),
)
CHANNELS = (
    Channel(),
    Channel(context="dm", channel_id="1", persona_id="p1"),
    Channel(context="dm", channel_id="2", persona_id="p2"),
    Channel(context="private_channel", channel_id="3"),
    Channel(context="public_channel", channel_id="4"),
)
EAGER = {"write": "auto", "keep": 0, "least": 2, "most": 3, "policy": {"count": 1}}
STEPS = 26
TOKEN = re.compile(r"token\w+")


def opened(store: MemoryStore | None = None, ledger: MemoryLedger | None = None, **tables: Any) -> Earwitness:
    settings = Settings.of(embedder="none", world_agent="none", strict=True, relationships={}, **tables)
    return Earwitness.open(settings=settings, store=store or MemoryStore(), ledger=ledger or MemoryLedger())


Action = tuple[str, str, str, str, Channel, tuple[str, ...]]


def actions(random: Random) -> Iterator[Action]:
    """What happens: kind, key, who, whom, where, and who perceives it."""
    said: list[str] = []
    for number in range(STEPS):
        kinds = ("say", "tell", "day", "retract", "edit") if len(said) > 2 else ("say",)
        kind = random.choices(kinds, (10, 3, 3, 1, 1)[: len(kinds)])[0]
        key = f"m{number}" if kind == "say" else random.choice(said)
        if kind == "say":
            said.append(key)
        elif kind == "retract":
            said.remove(key)
        who, whom, *others = random.sample([each.id for each in CAST], random.randrange(2, 5))
        yield kind, key, who, whom, random.choice(CHANNELS), (whom, *others)


async def act(story: Session, number: int, action: Action) -> bool:
    """Do it. Whether it could be done: somebody may not know what they are to tell."""
    kind, key, who, whom, channel, audience = action
    token = f"I guard token{number}x. Remember token{number}x."
    try:
        match kind:
            case "say":
                await story.say(who, token, key=key, channel=channel, audience=audience)
            case "tell":
                await story.tell(who, whom, key, channel=channel, key=f"t{number}")
            case "day":
                await story.change(game_day=story.state.game_day + 1)
            case "retract":
                await story.retract(key)
            case _:
                await story.edit(key, token)
    except InputError:
        return False
    return True


async def recalled(story: Session, who: str, channel: Channel, **given: Any) -> set[str]:
    """What somebody recalls in a channel."""
    turn = await story.turn(who, query="guard remember", in_prompt=[], channel=channel, memories=500, **given)
    return {token for each in turn.memories for token in TOKEN.findall(each.memory.text)}


async def held(story: Session, who: str) -> set[str]:
    await story.delivered()
    return {each.id for each in (await story.backstage().inspect(who)).memories}


async def compare(eager: Session, plain: Session) -> int:
    """Nobody recalls anywhere what they would not have without summaries. How much is recalled."""
    found = 0
    for who in (each.id for each in CAST):
        for channel in CHANNELS:
            more = await recalled(eager, who, channel)
            assert more <= await recalled(plain, who, channel), (who, channel)
            found += len(more)
    return found


@pytest.mark.parametrize("seed", [0, 2])
async def test_with_summaries_after_every_step_no_wall_is_lower_and_nothing_is_lost(seed: int) -> None:
    kept = {"store": MemoryStore(), "ledger": MemoryLedger()}
    async with opened() as other:
        plain = await other.session("s1", cast=CAST)
        async with opened(consolidation=EAGER, **kept) as one:
            eager = await one.session("s1", cast=CAST)
            await play(eager, plain, seed)
            await compare_days(eager, plain)
        async with opened(**kept) as one:
            eager = await one.open_session("s1")
            assert await undone(eager) > 0
            for who in (each.id for each in CAST):
                assert await held(eager, who) == await held(plain, who)


async def play(eager: Session, plain: Session, seed: int) -> None:
    for number, action in enumerate(actions(Random(seed))):
        if await act(eager, number, action):
            assert await act(plain, number, action)
        assert await eager.jobs.done(30)
    assert not eager.jobs.failures


async def compare_days(eager: Session, plain: Session) -> None:
    today = plain.state.game_day
    for day in (today, 1, today / 2, today):
        for story in (eager, plain):
            await story.change(game_day=day)
        assert await compare(eager, plain) > 0 or day < today


async def undone(story: Session) -> int:
    """Retract all summaries. How many were made."""
    made = [each.keys[0] for each in await story.review.proposals() if each.status == "approved"]
    for key in made:
        await story.retract(key)
    return len(made)
