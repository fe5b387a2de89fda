"""A story is forgotten, and another begins under its id: what the first left beyond sessions stays as it is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from earwitness import Character, Earwitness
from earwitness.containers import user_container
from earwitness.errors import StorageError

from ...unsteady_store import UnsteadyStore

Open = Callable[..., Awaitable[Earwitness]]
KENJI = Character("kenji", name="Kenji", kind="persona", user_id="u1", persona_id="p1")
LIVED, FACTS = "persona-p1-alice", "user-u1"
OLD = "Kenji: My sister is called Mira."
NEW = "Kenji: My brother is called Joe."


@pytest.fixture
def store() -> UnsteadyStore:
    return UnsteadyStore()


async def opened(open_app: Open, store: UnsteadyStore, **more: Any) -> Earwitness:
    return await open_app(relationships={"canon": "personal"}, store=store, **more)


async def told(ew: Earwitness, line: str) -> Any:
    """A story `s1` in which Kenji tells Alice something, and a fact about his user is noted. All keys are the same."""
    story = await ew.session("s1", cast=["alice", KENJI])
    await ew.register(user_container("u1"))
    await story.say("kenji", line.removeprefix("Kenji: "), audience=["alice"])
    await story.remember(None, f"Fact: {line}", container=FACTS)
    await story.delivered()
    return story


async def held(store: UnsteadyStore, container: str) -> list[str]:
    return [each.content for each in await store.list(container)]


async def test_a_later_story_of_the_same_id_replaces_nothing_and_takes_nothing_back(
    open_app: Open, store: UnsteadyStore
) -> None:
    ew = await opened(open_app, store)
    await told(ew, OLD)
    await ew.forget("s1")
    anew = await told(ew, NEW)
    assert await held(store, LIVED) == [OLD, NEW]
    assert len(await held(store, FACTS)) == 2
    for entry in await anew.backstage().journal():
        if entry.key != "#begin":
            await anew.retract(entry.key)
    await anew.delivered()
    assert await held(store, LIVED) == [OLD]
    assert len(await held(store, FACTS)) == 1


async def test_a_later_story_of_the_same_id_recalls_what_the_first_has_left(
    open_app: Open, store: UnsteadyStore
) -> None:
    ew = await opened(open_app, store)
    await told(ew, OLD)
    await ew.forget("s1")
    anew = await told(ew, NEW)
    turn = await anew.turn("alice", query="Who is Kenji's sister?", in_prompt=[])
    (found,) = [each.memory for each in turn.memories if each.memory.container == LIVED]
    assert found.content == OLD
    explained = str(await anew.backstage().explain(found.id))
    assert "session 's1@" in explained
    assert "wrote it and was forgotten" in explained


async def test_a_branch_and_a_later_import_have_their_past_once(open_app: Open, store: UnsteadyStore) -> None:
    ew = await opened(open_app, store)
    story = await told(ew, OLD)
    lines = [line async for line in story.backstage().export()]
    await (await story.fork("b1")).delivered()
    await story.say("kenji", "I have no sister.", audience=["alice"])
    await story.delivered()
    await ew.forget("s1")
    await ew.import_session(lines)
    for id in ("b1", "s1"):
        turn = await (await ew.open_session(id)).turn("alice", query="sister", in_prompt=[])
        assert [each.memory.container for each in turn.memories] == [f"{id}-alice"]


async def test_it_is_kept_once_the_store_is_back(open_app: Open, store: UnsteadyStore) -> None:
    ew = await opened(open_app, store, strict=False, end={"store_timeout": 0.05})
    story = await told(ew, OLD)
    store.away = True
    await (await story.say("kenji", "My dog is called Rex.", audience=["alice"])).decided()
    with pytest.raises(StorageError):
        await ew.forget("s1")
    store.away = False
    anew = await told(ew, NEW)
    assert sorted(await held(store, LIVED)) == [NEW, "Kenji: My dog is called Rex.", OLD]
    await ew.forget("s1")
    assert len(await held(store, LIVED)) == 3
    assert anew.id not in await ew.sessions()
