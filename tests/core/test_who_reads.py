"""Who may read something in a shared container knows it, for the days of the membership and as far as guards allow."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from earwitness import Character, Earwitness, ReadRequest, Session
from earwitness.containers import global_canon_container, pantheon_container, user_container
from earwitness.filters import equals
from earwitness.testing.samples import memory
from earwitness.testing.scripted import Only, Reads

Open = Callable[..., Awaitable[Earwitness]]
HUB, CANON, FACTS = pantheon_container("olympus"), global_canon_container("alice"), user_container("u1")
ASKED = "the sword is cursed"
CURSED = "The sword is cursed."


async def begin(open_app: Open, **given: Any) -> tuple[Earwitness, Session]:
    """A story of Alice, Bob and Charlie, in which every container is asked for, whoever reads."""
    requests = [ReadRequest(container=each.name, any_day=each != HUB) for each in (HUB, CANON, FACTS)]
    app = await open_app(read_providers=[Reads(*requests)], **given)
    for each in (HUB, CANON, FACTS):
        await app.register(each)
    cast = [Character("alice"), Character("bob", personality_id="robert"), Character("charlie")]
    return app, await app.session("s1", cast=cast, present=["alice", "bob", "charlie"])


async def put(app: Earwitness, container: Any, content: str = CURSED, **metadata: Any) -> None:
    given = {"sessionId": "s1", "learnedDay": 1, **metadata}
    await app.engine.store.put([memory(container.name, f"{container.name}-1", content, **given)])


async def knows(story: Session, question: str = ASKED) -> dict[str, str]:
    found = (await story.backstage().who_knows(question)).knowers
    return {id: str(knower).partition(": ")[2] for id, knower in found.items()}


async def test_members_know_what_they_may_read_since_the_day_they_may(open_app: Open) -> None:
    app, story = await begin(open_app)
    await put(app, HUB)
    await app.admit(HUB, "alice")
    await app.admit(HUB, "robert", since=3, until=5)
    assert await knows(story) == {
        "alice": "reads it in the hub of olympus since day 1",
        "bob": "nothing found",
        "charlie": "nothing found",
    }
    await story.change(game_day=4)
    assert (await knows(story))["bob"] == "reads it in the hub of olympus since day 3 until day 5"
    await story.change(game_day=6)
    assert (await knows(story))["bob"] == "nothing found"


@pytest.mark.parametrize(
    ("container", "where"), [(CANON, "the global canon of alice"), (FACTS, "the facts about user u1")]
)
async def test_what_another_story_wrote_is_known_without_a_day(open_app: Open, container: Any, where: str) -> None:
    app, story = await begin(open_app)
    await put(app, container, sessionId="elsewhere", learnedDay=90)
    await app.admit(container, "alice")
    assert (await knows(story))["alice"] == f"reads it in {where}"
    assert (await knows(story))["bob"] == "nothing found"


async def test_somebody_may_read_the_contrary(open_app: Open) -> None:
    app, story = await begin(open_app)
    await put(app, HUB, "The sword is not cursed.")
    await app.admit(HUB, "alice")
    await story.say("bob", CURSED, audience=["alice"])
    assert await knows(story) == {
        "alice": "heard it from bob on day 1, and reads the contrary in the hub of olympus since day 1",
        "bob": "said it on day 1",
        "charlie": "nothing found",
    }


async def test_what_is_ones_own_comes_before_what_is_read_on_the_same_day(open_app: Open) -> None:
    app, story = await begin(open_app)
    await put(app, HUB)
    await app.admit(HUB, "alice")
    await story.say("bob", CURSED, audience=["alice"])
    assert (await knows(story))["alice"] == "heard it from bob on day 1"


async def test_guards_withhold_here_as_in_a_recall_and_the_channel_does_not_matter(open_app: Open) -> None:
    app, story = await begin(open_app, guards=[Only(equals("speaker", "bob"))])
    await app.admit(HUB, "alice")
    await put(app, HUB, speaker="charlie", contextType="dm")
    assert (await knows(story))["alice"] == "nothing found"
    await put(app, HUB, speaker="bob", contextType="dm")
    assert (await knows(story))["alice"] == "reads it in the hub of olympus since day 1"


class Breaks:
    """A read provider that fails."""

    async def reads(self, event: Any) -> list[ReadRequest]:
        raise RuntimeError("no graph")


async def test_a_provider_that_fails_is_named(open_app: Open) -> None:
    app = await open_app(read_providers=[Breaks()], strict=False)
    story = await app.session("s1", cast=["alice"], present=["alice"])
    found = await story.backstage().who_knows(ASKED)
    assert "no graph" in found.failures[0]
    assert "no graph" in str(found)
