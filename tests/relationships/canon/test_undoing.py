"""Reconciliations that meet each other, or what was retracted since: each can be undone, and nothing is mixed up."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from earwitness import Character, Earwitness, Session
from earwitness.errors import InputError

Open = Callable[..., Awaitable[Earwitness]]
KENJI = Character("kenji", kind="persona", user_id="u1", persona_id="p1")
APPLE, PEAR, PLUM = (f"Kenji: My favourite fruit is {each}." for each in ("apple", "pear", "plum"))


@pytest.fixture
async def ew(open_app: Open) -> Earwitness:
    return await open_app(relationships={"canon": "personal"})


@pytest.fixture
async def story(ew: Earwitness) -> Session:
    return await ew.session("s1", cast=["alice", "bob", KENJI])


async def bubble(story: Session, name: str, *lines: str) -> None:
    """A bubble that has ended, in which Kenji said this to Alice."""
    made = await story.bubble(name)
    for line in lines:
        await made.say("kenji", line.removeprefix("Kenji: "), audience=["alice"])
    await made.end()


async def keep(story: Session, name: str, **given: Any) -> Any:
    return await story.canon.reconcile(name, keep_as="personal", dry_run=False, **given)


async def held(ew: Earwitness) -> list[str]:
    return sorted(each.content for each in await ew.engine.store.list("persona-p1-alice"))


async def status(story: Session) -> dict[str, str]:
    return {each.name: each.status for each in await story.canon.bubbles()}


async def test_bubbles_whose_names_look_like_each_others_numbers_are_kept_and_undone_apart(
    ew: Earwitness, story: Session
) -> None:
    first, second = ["Kenji: I am red.", "Kenji: Ships sail."], ["Kenji: Bells ring.", "Kenji: Grass grows."]
    await bubble(story, "a-1", *first)
    await bubble(story, "a", *second)
    await keep(story, "a-1")
    await keep(story, "a")
    assert await held(ew) == sorted([*first, *second])
    await story.canon.undo("a")
    assert await held(ew) == sorted(first)
    assert await status(story) == {"a-1": "kept", "a": "ended"}
    await story.canon.undo("a-1")
    assert await held(ew) == []


@pytest.mark.parametrize("order", ["xy", "yx"])
async def test_of_two_replacements_each_is_undone_in_either_order(ew: Earwitness, story: Session, order: str) -> None:
    await story.say("kenji", APPLE.removeprefix("Kenji: "), audience=["alice"])
    await story.delivered()
    for name, line in (("x", PEAR), ("y", PLUM)):
        await bubble(story, name, line)
        await keep(story, name, mode="replace")
    assert await held(ew) == [PLUM]
    undone = [await story.canon.undo(each) for each in order]
    assert await held(ew) == [APPLE]
    assert await status(story) == {"x": "ended", "y": "ended"}
    assert [len(each.retracted) for each in undone] == ([0, 1] if order == "xy" else [0, 0])


async def test_what_was_retracted_since_does_not_come_back_and_is_named(ew: Earwitness, story: Session) -> None:
    await story.say("kenji", APPLE.removeprefix("Kenji: "), audience=["alice"], key="k")
    await story.delivered()
    await bubble(story, "x", PEAR)
    await keep(story, "x", mode="replace")
    await story.retract("k")
    undone = await story.canon.undo("x")
    assert "stays as it is: it was retracted since" in str(undone)
    assert await held(ew) == []
    assert await status(story) == {"x": "ended"}


async def test_nothing_is_missing_where_a_replacement_breaks_off(
    ew: Earwitness, story: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    await story.say("kenji", APPLE.removeprefix("Kenji: "), audience=["alice"])
    await story.delivered()
    await bubble(story, "x", PEAR)

    async def dies(*given: Any, **more: Any) -> Any:
        raise OSError("the process died")

    with monkeypatch.context() as broken:
        broken.setattr(Session, "remember", dies)
        with pytest.raises(OSError, match="died"):
            await keep(story, "x", mode="replace")
    assert await held(ew) == [APPLE]
    await story.canon.undo("x")
    await keep(story, "x", mode="replace")
    assert await held(ew) == [PEAR]


@pytest.mark.parametrize(
    ("words", "why"), [("  ", "is blank"), (7, "must be text"), (["a"], "must be text"), ("\ud800", "valid Unicode")]
)
async def test_words_that_cannot_be_kept_are_refused_before_anything_is_done(
    story: Session, words: Any, why: str
) -> None:
    await bubble(story, "x", PEAR)
    (memory,) = (await story.canon.reconcile("x", keep_as="personal")).memories
    for dry_run in (True, False):
        with pytest.raises(InputError, match=why):
            await story.canon.reconcile("x", keep_as="personal", only={memory.memory_id: words}, dry_run=dry_run)
    assert await status(story) == {"x": "ended"}


async def test_a_choice_of_nothing_is_refused_and_one_id_needs_no_list(ew: Earwitness, story: Session) -> None:
    await bubble(story, "x", PEAR)
    with pytest.raises(InputError, match="names no memory"):
        await keep(story, "x", only=[])
    (memory,) = (await story.canon.reconcile("x", keep_as="personal")).memories
    await keep(story, "x", only=memory.memory_id)
    assert await held(ew) == [PEAR]


@pytest.mark.parametrize("order", ["xy", "yx"])
async def test_what_two_bubbles_say_alike_is_one_memory_that_stays_until_both_are_undone(
    ew: Earwitness, story: Session, order: str
) -> None:
    for name in "xy":
        await bubble(story, name, PEAR)
        done = await keep(story, name)
    assert [each.action for each in done.memories] == ["support"]
    assert await held(ew) == [PEAR]
    undone = await story.canon.undo(order[0])
    assert (await held(ew), undone.gone) == ([PEAR], ())
    undone = await story.canon.undo(order[1])
    assert (await held(ew), undone.gone) == ([], (PEAR,))


async def test_what_the_bubble_says_as_well_is_not_replaced(ew: Earwitness, story: Session) -> None:
    await bubble(story, "x", PEAR, APPLE)
    await keep(story, "x")
    await bubble(story, "y", PLUM, PEAR)
    done = await keep(story, "y", mode="replace")
    assert [each.action for each in done.memories] == ["replace", "support"]
    assert await held(ew) == [PEAR, PLUM]
    await story.canon.undo("y")
    assert await held(ew) == [APPLE, PEAR]


async def test_what_was_replaced_is_kept_anew_when_another_bubble_says_it_again(ew: Earwitness, story: Session) -> None:
    for name, line in (("x", APPLE), ("y", PEAR), ("z", APPLE)):
        await bubble(story, name, line)
        await keep(story, name, mode="replace")
    assert await held(ew) == [APPLE]


async def test_a_branch_keeps_what_its_own_bubble_says_though_the_story_keeps_it_too(
    ew: Earwitness, story: Session
) -> None:
    await bubble(story, "x", PEAR)
    await keep(story, "x")
    branch = await story.fork("s2")
    await bubble(branch, "y", PEAR)
    done = await keep(branch, "y")
    assert [each.action for each in done.memories] == ["skip"]
    assert await held(ew) == [PEAR]
