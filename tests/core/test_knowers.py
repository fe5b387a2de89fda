"""A derived memory stands for those on whose knowledge it rests: what one of them is kept from, it is kept from too."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from earwitness import (
    Channel,
    Character,
    Earwitness,
    MessageAnswer,
    MessageEvent,
    PlanEvent,
    Plugin,
    ReadEvent,
    Session,
    Share,
    SharingEvent,
    Strike,
)
from earwitness.containers import EVERYBODY, persona_container, user_container
from earwitness.errors import InputError, UnknownName
from earwitness.filters import EVERYTHING, Filter
from earwitness.records.derived import Derivation

KIM = Character("kim", kind="persona", user_id="u1", persona_id="p1")
HIS = persona_container("p1", "bob")
USERS = user_container("u1")
ELSEWHERE: dict[str, dict[str, Any]] = {
    "his": {"container": HIS.name, "registers": HIS, "admits": ("bob",)},
    "users": {"container": USERS.name, "registers": USERS, "admits": (EVERYBODY,)},
    "own": {"owner": "bob"},
    "hers": {"owner": "alice"},
}


class Notes(Plugin):
    """Keeps one note of every message, in one place, for its knowers."""

    def __init__(self, where: str, knowers: Iterable[str] = ("bob",)) -> None:
        self._more: dict[str, Any] = {**ELSEWHERE[where], "knowers": tuple(knowers)}

    def on_message(self, event: MessageEvent) -> MessageAnswer:
        return MessageAnswer(derived=(Derivation(content=f"Note: {event.moment.message.content}", **self._more),))


class Deaf:
    """A guard that keeps messages from some, at once or on the day they arrive; it may fail."""

    fails = False

    def __init__(self, *deaf: str, late: bool = False) -> None:
        self.deaf, self._late = deaf, late

    def filter(self, event: ReadEvent) -> Filter:
        return EVERYTHING

    def strike(self, event: PlanEvent) -> list[Strike]:
        if self.fails and event.plan.due_day is not None:
            raise OSError("no route to host")
        found = [each for each in event.plan.deliveries if each.owner in self.deaf and each.part == "message"]
        is_asked = not self._late or event.plan.due_day is not None
        return [Strike(delivery_id=each.id, reason="deaf") for each in found if is_asked]


class Later:
    """Alice tells Bob two days later."""

    def share(self, event: SharingEvent) -> Iterable[Share]:
        if not event.arrived:
            yield Share(character="bob", shared_from="alice", rule="gossip", due=event.day + 2)


async def notes(story: Session) -> list[str]:
    """Where there is a note."""
    await story.delivered()
    store = story._engine.store
    places = {"own": "s1-bob", "hers": "s1-alice", "his": HIS.name, "users": USERS.name}
    return [name for name, each in places.items() if any(m.type == "fact" for m in await store.list(each))]


async def told(begin: Any, where: str, knowers: Iterable[str] = ("bob",), *guards: Deaf, **more: Any) -> Session:
    """A story in which Kim says something to Alice and Bob."""
    made = {"plugins": [Notes(where, knowers)], "guards": [*guards], **more}
    story: Session = await begin(cast=[KIM, "alice", "bob", "charlie"], present=["kim", "alice", "bob"], **made)
    await story.say("kim", "I live in Rome.", key="k", audience=["alice", "bob"])
    return story


@pytest.mark.parametrize("where", ELSEWHERE)
async def test_it_is_kept_while_those_who_must_know_its_ground_do(begin: Any, where: str) -> None:
    story = await told(begin, where)
    assert await notes(story) == [where]
    (hers,) = (await story.backstage().inspect("alice", filter='type = "message"')).memories
    (his,) = (await story.backstage().inspect("bob", filter='type = "message"')).memories
    await story.retract(hers.id)
    assert await notes(story) == [where]
    await story.retract(his.id)
    assert await notes(story) == []


@pytest.mark.parametrize("where", ELSEWHERE)
async def test_a_guard_that_keeps_its_ground_from_one_of_them_keeps_it_out(begin: Any, where: str) -> None:
    story = await told(begin, where, ["bob"], Deaf("bob"))
    assert await notes(story) == []
    outcome = await story.outcome("k")
    assert "Note: I live in Rome. [struck: bob does not receive what it rests on]" in str(await outcome.decided())
    (entry,) = [each for each in await story.backstage().journal() if each.key == "#derived-2-0"]
    plan = await story._engine.ledger.plan("s1", entry.sequence)
    (delivery,) = plan.deliveries if plan else ()
    assert (delivery.status, delivery.reason) == (
        "struck",
        "it rests on 'k', which is kept from bob: guard:deaf: deaf",
    )
    assert "kept from bob: guard:deaf: deaf" in str(await story.backstage().explain(delivery.memory_id))


async def test_what_names_no_knowers_reaches_no_container_of_those_whom_a_guard_keeps_it_from(begin: Any) -> None:
    for where, deaf, found in [
        ("his", "bob", []),
        ("his", "alice", ["his"]),
        ("users", "alice", []),
        ("own", "bob", []),
        ("own", "alice", ["own"]),
    ]:
        story = await told(begin, where, (), Deaf(deaf))
        assert await notes(story) == found, (where, deaf)


async def test_who_never_received_it_is_no_knower(begin: Any) -> None:
    story = await told(begin, "his", ["bob", "charlie"])
    assert await notes(story) == []
    await story.settled()
    (struck,) = await story._engine.ledger.deliveries("s1", sources=["#derived-2-0"])
    assert struck.reason == "it rests on 'k', which charlie does not have"


async def test_what_somebody_is_told_later_is_noted_on_that_day_and_struck_on_it(begin: Any) -> None:
    for deaf, found in (("charlie", ["his"]), ("bob", [])):
        made: Any = {"plugins": [Notes("his")], "guards": [Deaf(deaf, late=True)], "sharing_rules": [Later()]}
        story = await begin(cast=[KIM, "alice", "bob", "charlie"], **made)
        await story.say("kim", "I live in Rome.", key="k", audience=["alice"])
        assert await notes(story) == []
        await story.change(game_day=3)
        assert await notes(story) == found, deaf


async def test_while_a_guard_fails_on_that_day_it_waits_with_its_ground(begin: Any) -> None:
    guard = Deaf(late=True)
    made: Any = {"plugins": [Notes("his")], "guards": [guard], "sharing_rules": [Later()], "strict": False}
    story = await begin(cast=[KIM, "alice", "bob", "charlie"], **made)
    await story.say("kim", "I live in Rome.", key="k", audience=["alice"])
    await story.settled()
    guard.fails = True
    await story.change(game_day=3)
    assert await notes(story) == []
    guard.fails = False
    await story.change(game_day=4)
    assert await notes(story) == ["his"]


async def test_while_it_waits_for_one_nothing_of_it_reaches_what_is_for_all(begin: Any) -> None:
    guard = Deaf(late=True)
    story = await begin(cast=[KIM, "alice", "bob"], guards=[guard], sharing_rules=[Later()], strict=False)
    await story.say("kim", "I live in Rome.", key="k", audience=["alice"])
    await story.settled()
    guard.fails = True
    await story.change(game_day=3)
    note = Derivation(content="Note: Kim lives in Rome.", rests_on=("k",), **ELSEWHERE["users"])
    with pytest.raises(InputError, match="kept from bob"):
        await story.derive(note)
    assert await notes(story) == []
    guard.fails = False
    await story.change(game_day=4)
    await story.derive(note)
    assert await notes(story) == ["users"]


@pytest.mark.parametrize("how", ["edit", "retract"])
async def test_it_goes_with_its_message(begin: Any, how: str) -> None:
    story = await told(begin, "his")
    await (story.edit("k", "I live in Paris.") if how == "edit" else story.retract("k"))
    await story.delivered()
    found = [each.content for each in await story._engine.store.list(HIS.name)]
    assert found == (["Note: I live in Paris."] if how == "edit" else [])


@pytest.mark.parametrize("context", ["dm", "private_channel", "public_channel"])
async def test_it_is_as_private_as_its_message(begin: Any, context: Any) -> None:
    story = await begin(cast=[KIM, "alice", "bob"], plugins=[Notes("his")])
    where = Channel(context=context, channel_id="7", guild_id=None if context == "dm" else "g")
    await story.say("kim", "I live in Rome.", audience=["bob"], channel=where)
    await story.delivered()
    (note,) = await story._engine.store.list(HIS.name)
    assert where.metadata.items() <= note.metadata.items()


async def test_branches_and_imports_keep_what_is_theirs(open_app: Any) -> None:
    ew: Earwitness = await open_app(plugins=[Notes("own")])
    story = await ew.session("s1", cast=[KIM, "alice", "bob"], present=["kim", "alice", "bob"])
    await story.say("kim", "I live in Rome.", key="k", audience=["alice", "bob"])
    await story.settled()
    lines = [line async for line in story.backstage().export()]
    for copy in (await story.fork("b1"), await ew.import_session(lines, id="i1")):
        (his,) = (await copy.backstage().inspect("bob", filter='type = "message"')).memories
        assert len((await copy.backstage().inspect("bob", filter='type = "fact"')).memories) == 1
        await copy.retract(his.id)
        assert (await copy.backstage().inspect("bob")).memories == ()
    assert await notes(story) == ["own"]


async def test_a_host_names_knowers_too(begin: Any) -> None:
    story = await begin(guards=[Deaf("charlie")])
    await story.say("alice", "The well is dry.", key="k", audience=["bob", "charlie"])
    await story.remember("alice", "Bob knows it.", type="fact", rests_on=["k"], knowers=["Bob"])
    assert await notes(story) == ["hers"]
    with pytest.raises(InputError, match="'k', which is kept from charlie: guard:deaf: deaf"):
        await story.remember("alice", "Charlie knows it.", rests_on=["k"], knowers=["charlie"])
    with pytest.raises(InputError, match="need rests_on"):
        await story.remember("alice", "Bob knows it.", knowers=["bob"])
    with pytest.raises(UnknownName, match="nobody"):
        await story.remember("alice", "Nobody knows it.", rests_on=["k"], knowers=["nobody"])


class ForAll(Plugin):
    """Keeps a note for all who meet the user; where somebody must not know it, one for each of the others."""

    def on_message(self, event: MessageEvent) -> MessageAnswer:
        note = Derivation(content=f"Note: {event.moment.message.content}", knowers=("alice", "bob"))
        others = [note.model_copy(update={"owner": each, "knowers": (each,)}) for each in ("alice", "bob")]
        return MessageAnswer(derived=(note.model_copy(update={**ELSEWHERE["users"], "instead": tuple(others)}),))


async def test_what_is_to_be_written_instead_reaches_those_from_whom_nothing_is_kept(tmp_path: Path) -> None:
    guard = Deaf()
    async with Earwitness.open(
        tmp_path / "s.db", strict=True, plugins=[ForAll()], guards=[guard], world_agent="none"
    ) as ew:
        story = await ew.session("s1", cast=[KIM, "alice", "bob"], present=["kim", "alice", "bob"])
        for liked, deaf in (("tea", ()), ("jam", ("bob",)), ("ale", ("alice", "bob"))):
            guard.deaf = deaf
            await story.say("kim", f"I like {liked}.", key=liked, audience=["alice", "bob"])
            await story.delivered()

        async def held(session: str) -> dict[str, list[str]]:
            names = (USERS.name, f"{session}-alice", f"{session}-bob")
            found = {each: await ew.engine.store.list(each) for each in names}
            return {name: [one.content for one in ones if one.type == "fact"] for name, ones in found.items()}

        wanted = {USERS.name: ["Note: I like tea."], "s1-alice": ["Note: I like jam."], "s1-bob": []}
        assert await held("s1") == wanted
        branch = await story.fork("s2")
        copy = await ew.import_session([each async for each in story.backstage().export()], id="s3")
        for each in (branch, copy):
            await each.delivered()
            assert (await held(each.id))[f"{each.id}-alice"] == ["Note: I like jam."]
        await copy.retract("jam")
        await copy.delivered()
        assert (await held("s3"))["s3-alice"] == []
        assert await held("s1") == wanted
