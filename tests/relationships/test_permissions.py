"""Who may create and edit pantheons, rules and canon: every role, for what is nobody's, their own and somebody else's.

The tables below are the whole of it. Each cell is tried.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from earwitness import Character, Earwitness, sync
from earwitness.backstage.roles import PERMISSIONS
from earwitness.errors import NotPermitted
from earwitness_relationships.pantheons.desk import model_of

ME, OTHER = "u1", "u2"
MINE = Character("kenji", kind="persona", user_id=ME, persona_id="p1")
THEIRS = Character("mei", kind="persona", user_id=OTHER, persona_id="p2")
RULES = "hotel: {members: [charlie, vaggie]}\n"

Act = Callable[[Any], Awaitable[Any]]
EVERYBODY, EDITORS, OWNER = {"owner", "author", "designer", "player"}, {"owner", "author", "designer"}, {"owner"}


def changing(slug: str) -> dict[str, Act]:
    """Everything that changes a pantheon."""
    return {
        "change": lambda who: who.pantheons.change(slug, description="New"),
        "rules": lambda who: who.pantheons.change(slug, rules=["gossip_about_others"]),
        "add a member": lambda who: who.pantheons.add_member(slug, "husk"),
        "change a member": lambda who: who.pantheons.change_member(slug, "charlie", role="leader"),
        "end a member": lambda who: who.pantheons.end_member(slug, "charlie", until=9),
        "remove a member": lambda who: who.pantheons.remove_member(slug, "charlie"),
        "relate with rules": lambda who: who.relate(
            "charlie", "vaggie", "ally", rules=["propagate_all"], pantheon=slug
        ),
        "remove": lambda who: who.pantheons.remove(slug),
    }


PANTHEONS: dict[str, tuple[dict[str, Act], set[str]]] = {
    "of the rule file": (changing("hotel"), EDITORS),
    "nobody's": (changing("nobodys"), EDITORS),
    "my friends": (changing("my_friends"), EVERYBODY),
    "my gods": (changing("my_gods"), EDITORS),
    "their friends": (changing("their_friends"), OWNER),
    "their gods": (changing("their_gods"), OWNER),
    "new friends": ({"create": lambda who: who.pantheons.create("new")}, EVERYBODY),
    "new gods": ({"create": lambda who: who.pantheons.create("new", type="deity_pantheon")}, EDITORS),
    "my friends to gods": (
        {"change": lambda who: who.pantheons.change("my_friends", type="deity_pantheon")},
        EDITORS,
    ),
    "the graph": (
        {
            "relate": lambda who: who.relate("charlie", "vaggie", "ally"),
            "end": lambda who: who.end("charlie", "vaggie", "couple", until=9),
        },
        EDITORS,
    ),
}
CANON: dict[str, tuple[dict[str, Act], set[str]]] = {
    "global": ({"add": lambda who: who.add("x", scope="global", character="alice")}, OWNER),
    "session": ({"add": lambda who: who.add("x", scope="session", character="alice")}, EDITORS),
    "of my persona": ({"add": lambda who: who.add("x", scope="personal", character="alice", persona="p1")}, EVERYBODY),
    "of their persona": ({"add": lambda who: who.add("x", scope="personal", character="alice", persona="p2")}, EDITORS),
    "of me": ({"add": lambda who: who.add("x", scope="user", user=ME)}, EVERYBODY),
    "of them": ({"add": lambda who: who.add("x", scope="user", user=OTHER)}, EDITORS),
    "a bubble of mine": (
        {
            "end": lambda who: who.end("open"),
            "personal": lambda who: who.reconcile("ended", keep_as="personal", dry_run=False),
            "discard": lambda who: who.reconcile("ended", keep_as="discard", dry_run=False),
            "look": lambda who: who.reconcile("ended", keep_as="personal"),
            "undo": lambda who: who.undo("kept"),
        },
        EVERYBODY,
    ),
    "a bubble of mine for all": (
        {
            "global": lambda who: who.reconcile("ended", keep_as="global", dry_run=False),
            "look": lambda who: who.reconcile("ended", keep_as="global"),
            "undo": lambda who: who.undo("published"),
        },
        OWNER,
    ),
    "a bubble of both": (
        {
            "end": lambda who: who.end("both"),
            "personal": lambda who: who.reconcile("both-ended", keep_as="personal"),
            "discard": lambda who: who.reconcile("both-ended", keep_as="discard", dry_run=False),
        },
        EDITORS,
    ),
}


def cells(table: dict[str, tuple[dict[str, Act], set[str]]]) -> list[Any]:
    return [
        pytest.param(act, role, role in allowed, id=f"{whose}-{what}-{role}")
        for whose, (acts, allowed) in table.items()
        for what, act in acts.items()
        for role in sorted(PERMISSIONS)
    ]


def opened(folder: Path) -> AbstractAsyncContextManager[Earwitness]:
    table = {"rules": str(folder / "rules.yaml"), "canon": "personal"}
    given: dict[str, Any] = {"embedder": "none", "detector": "none", "world_agent": "none", "strict": True}
    return Earwitness.open(folder / "e.db", relationships=table, **given)


@pytest.fixture
async def ew(tmp_path: Path) -> AsyncIterator[Earwitness]:
    (tmp_path / "rules.yaml").write_text(RULES)
    async with opened(tmp_path) as ew:
        yield ew


@pytest.fixture(scope="module")
async def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What there is before anybody changes it, written once."""
    folder = tmp_path_factory.mktemp("permissions")
    (folder / "rules.yaml").write_text(RULES)
    async with opened(folder) as ew:
        await with_pantheons(ew)
        await with_bubbles(ew)
    return folder


@pytest.fixture
async def copy(folder: Path, tmp_path: Path) -> AsyncIterator[Earwitness]:
    """A copy of it, for each cell."""
    async with opened(Path(copytree(folder, tmp_path / "copy"))) as ew:
        yield ew


async def with_pantheons(ew: Earwitness) -> None:
    await ew.relationships.relate("charlie", "vaggie", "couple", since=1)
    pair = ["charlie", "vaggie"]
    await ew.relationships.pantheons.create("nobodys", members=pair)
    for user, slug in ((ME, "my"), (OTHER, "their")):
        maker = ew.relationships.acting(role="author", user=user)
        await maker.pantheons.create(f"{slug}_friends", members=pair)
        await maker.pantheons.create(f"{slug}_gods", type="deity_pantheon", members=pair)


async def with_bubbles(ew: Earwitness) -> None:
    story = await ew.session("s1", cast=["alice", MINE])
    for name in ("open", "ended", "kept", "published"):
        bubble = await story.bubble(name)
        await bubble.say("kenji", f"I am {name}.", audience=["alice"], context="public_channel")
        if name != "open":
            await bubble.end()
    await story.canon.reconcile("kept", keep_as="personal", dry_run=False)
    await story.canon.reconcile("published", keep_as="global", role="owner", dry_run=False)
    await story.join(THEIRS)
    for name in ("both", "both-ended"):
        await story.bubble(name)
    await story.canon.end("both-ended")


async def tried(act: Act, who: Any) -> bool:
    try:
        await act(who)
    except NotPermitted:
        return False
    return True


@pytest.mark.parametrize(("act", "role", "allowed"), cells(PANTHEONS))
async def test_pantheons_and_their_rules(copy: Earwitness, act: Act, role: str, allowed: bool) -> None:
    before = await model_of(copy).graph.version()
    assert await tried(act, copy.relationships.acting(role=role, user=ME)) == allowed
    after = await model_of(copy).graph.version()
    assert (after > before) == allowed


@pytest.mark.parametrize(("act", "role", "allowed"), cells(CANON))
async def test_canon_and_bubbles(copy: Earwitness, act: Act, role: str, allowed: bool) -> None:
    story = await copy.open_session("s1")
    assert await tried(act, story.canon.acting(role=role, user=ME)) == allowed


async def test_nobody_gives_themselves_another_role_than_the_one_they_act_in(ew: Earwitness) -> None:
    story = await ew.session("s1", cast=["alice", MINE])
    await (await story.bubble("au")).end()
    player = story.canon.acting(role="player", user=ME)
    with pytest.raises(NotPermitted, match="this acts as 'player', and cannot act as 'owner' as well"):
        await player.reconcile("au", keep_as="global", role="owner")
    with pytest.raises(NotPermitted, match="cannot act as 'owner'"):
        await player.add("Alice sings.", scope="global", character="alice", role="owner")
    assert (await player.reconcile("au", keep_as="personal", role="player")).memories == ()


async def test_a_player_sees_what_is_about_their_own_alone(ew: Earwitness) -> None:
    story = await ew.session("s1", cast=["alice", MINE])
    await story.bubble("own")
    await story.join(THEIRS)
    await story.bubble("shared")
    seen = await story.canon.acting(role="player", user=ME).memories("alice")
    assert list(seen) == ["global-canon-alice", "persona-p1-alice", "user-u1", "own"]
    assert list(await story.canon.memories("alice"))[2:] == ["persona-p2-alice", "user-u1", "user-u2", "own", "shared"]


def test_the_synchronous_face_acts_on_behalf_of_somebody_too(tmp_path: Path) -> None:
    with sync.Earwitness.open(tmp_path / "e.db", relationships={}, embedder="none") as ew:
        story = ew.session("s1", cast=["alice", MINE, THEIRS])
        mine = story.canon.acting(role="player", user=ME)
        mine.add("Kenji sings.", scope="personal", character="alice", persona="p1")
        with pytest.raises(NotPermitted, match="only about their own: user 'u1' is not 'u2'"):
            mine.add("Mei sings.", scope="personal", character="alice", persona="p2")
        with pytest.raises(NotPermitted, match="role 'player' may not"):
            ew.relationships.acting(role="player", user=ME).relate("alice", "kenji", "ally")
