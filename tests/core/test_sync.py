"""The synchronous face: the same API, in scripts and in notebooks."""

import asyncio
import inspect
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from types import FunctionType
from typing import Any

import pytest

import earwitness
from earwitness import sync
from earwitness.errors import EarwitnessError, InputError, KeyConflict, NotDecided, NotOpen, UnknownName
from earwitness.events import MessageAnswer, MessageEvent
from earwitness.hooks import Plugin
from earwitness.testing.reference import MemoryLedger, MemoryStore

FACES = ("Earwitness", "Session", "Turn", "Outcome", "Backstage")
# How the asynchronous face makes one of its own; nobody else calls it.
MAKERS = {"Turn": {"begin"}}
BARE: dict[str, Any] = {"embedder": "none", "detector": "none", "world_agent": "none", "plugins": []}


def bare(*plugins: object, **changes: Any) -> sync.Earwitness:
    """An instance with nothing behind it but two dicts."""
    kept = {"store": MemoryStore(), "ledger": MemoryLedger()}
    return sync.Earwitness.open(**{**BARE, **kept, "plugins": plugins, "block": ("chronicle",), **changes})


@pytest.fixture
def ew() -> Iterator[sync.Earwitness]:
    with bare() as opened:
        yield opened


@pytest.fixture
def story(ew: sync.Earwitness) -> sync.Session:
    return ew.session("s1", cast=["alice", "bob", "charlie"], present=["alice", "bob"])


# ── both faces agree ────────────────────────────────────────────────────────────────────────────────────────────────


def public(thing: object) -> set[str]:
    return {name for name in dir(thing) if not name.startswith("_")}


async def asynchronous_objects() -> dict[str, object]:
    async with earwitness.Earwitness.open(store=MemoryStore(), ledger=MemoryLedger(), **BARE) as opened:
        session = await opened.session("s1", cast=["alice"])
        turn = await session.turn("alice")
        outcome = await turn.say("Hm.")
        await outcome.settled()
    return dict(zip(FACES, (opened, session, turn, outcome, session.backstage()), strict=True))


@pytest.mark.parametrize("name", FACES)
def test_both_faces_have_the_same_public_names(name: str, story: sync.Session, ew: sync.Earwitness) -> None:
    turn = story.turn("alice")
    outcome = turn.say("Hm.")
    outcome.settled()
    synchronous = dict(zip(FACES, (ew, story, turn, outcome, story.backstage()), strict=True))
    original = asyncio.run(asynchronous_objects())[name]
    assert public(synchronous[name]) == public(original) - MAKERS.get(name, set())


def methods(face: type) -> dict[str, FunctionType]:
    kinds = [kind for kind in reversed(face.__mro__) if kind.__module__.startswith("earwitness")]
    found = {name: getattr(member, "__func__", member) for kind in kinds for name, member in vars(kind).items()}
    return {name: each for name, each in found.items() if not name.startswith("_") and inspect.isfunction(each)}


def shape(function: FunctionType) -> tuple[list[tuple[object, ...]], str]:
    """Parameters with kinds, defaults and types, and the type of the answer, but for its being asynchronous."""
    signature = inspect.signature(function)
    parameters = [(each.name, each.kind, each.default, each.annotation) for each in signature.parameters.values()]
    return parameters, str(signature.return_annotation).removeprefix("Async")


@pytest.mark.parametrize("name", FACES)
def test_both_faces_take_the_same_parameters_with_the_same_defaults_and_types(name: str) -> None:
    ours, theirs = methods(getattr(sync, name)), methods(getattr(earwitness, name))
    assert {each: shape(ours[each]) for each in ours} == {each: shape(theirs[each]) for each in ours}


@pytest.mark.parametrize("name", FACES)
def test_every_method_of_the_synchronous_face_is_documented_and_synchronous(name: str) -> None:
    face = getattr(sync, name)
    members = {each: getattr(face, each) for each in public(face)}
    assert [each for each, member in members.items() if not member.__doc__] == []
    assert [each for each, member in members.items() if inspect.iscoroutinefunction(member)] == []


# ── it works ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_turn_from_recall_to_settlement(story: sync.Session) -> None:
    story.say("alice", "The sword is under the well.", audience=["alice", "bob"]).settled()
    turn = story.turn("bob", query="Where is the sword?", in_prompt=[])
    assert "under the well" in turn.fill("You are Bob. ###SUPERMEMORY###")
    outcome = turn.say("Then we dig tonight.", audience=["alice", "bob"])
    assert list(outcome.settled().participants) == ["bob", "alice"]
    assert list(outcome.participants) == ["bob", "alice"]


def test_what_the_author_may_see(story: sync.Session) -> None:
    story.say("alice", "The sword is under the well.")
    backstage = story.backstage("designer")
    assert backstage.role == "designer"
    assert [id for id, knower in backstage.who_knows("sword under the well").knowers.items() if knower.knows] == [
        "alice"
    ]
    (memory,) = backstage.inspect("alice").memories
    assert backstage.explain(memory.id).alive
    assert backstage.preview("bob", "Hm?").learners == ("world", "bob")
    backstage.retract(memory.id).settled()
    assert backstage.inspect("alice").memories == ()


def test_a_story_is_exported_line_by_line_and_imported_again(ew: sync.Earwitness, story: sync.Session) -> None:
    story.say("alice", "One.", key="m1")
    story.say("alice", "Two.", key="m2")
    copy = ew.import_session(story.backstage().export(), id="s2")
    assert [memory.message_keys for memory in copy.backstage().inspect("alice").memories] == [("m1",), ("m2",)]
    assert ew.sessions() == ("s1", "s2")


def test_a_branch_is_a_session_of_its_own(story: sync.Session) -> None:
    story.say("alice", "One.", key="m1")
    story.say("alice", "Two.", key="m2")
    branch = story.fork("s2", at="m1")
    assert branch.backstage().inspect("alice").total == 1


def test_whatever_else_can_be_told_is_passed_on(ew: sync.Earwitness, story: sync.Session) -> None:
    story.prepare(plot="A sword is lost.", lore=["Dragons sleep badly."])
    story.join("dora")
    story.enter("charlie")
    story.leave("bob", to="the stables")
    story.move("bob", "the well")
    story.change(game_day=2, description="A night has passed")
    story.update("Alice acquired the Sacred Sword", character="alice", type="item_acquired")
    story.say("alice", "One.", key="m1")
    story.edit("m1", "Two.")
    story.reroll("Three.")
    story.retract("m1")
    story.forget("dora")
    story.settled()
    assert (story.id, story.state.game_day, story.cast.ids) == ("s1", 2, ("alice", "bob", "charlie"))
    assert story.state.whereabouts["bob"].place == "the well"
    assert [shelf.total for shelf in story.backstage().overview().containers] == [2, 2, 2, 4]
    assert story.backstage().inspect("alice").total == 2
    assert ew.open_session("s1").id == "s1"
    ew.forget("s1")
    assert ew.sessions() == ()


def test_a_newcomer_may_speak_as_soon_as_she_has_joined(story: sync.Session) -> None:
    story.join("dora")
    assert list(story.say("dora", "Am I late?").settled().participants) == ["dora"]


class Wavering(Plugin):
    """Answers the first question otherwise than all later ones."""

    def __init__(self) -> None:
        self.asked = 0

    def on_message(self, event: MessageEvent) -> MessageAnswer | None:
        self.asked += 1
        return MessageAnswer(add={"charlie": "listens at the door"}) if self.asked == 1 else None


def test_replan_asks_again_shows_the_difference_and_changes_nothing() -> None:
    plugin = Wavering()
    with bare(plugin) as ew:
        story = ew.session("s1", cast=["alice", "bob", "charlie"])
        story.say("alice", "One.", key="m1").settled()
        before = list(story.backstage().export())
        replanned = story.backstage().replan("m1")
        assert (plugin.asked, replanned.removed) == (2, ("charlie",))
        assert list(story.backstage().export()) == before
        assert story.backstage().inspect("charlie").total == 1


def test_an_iterator_is_read_in_the_callers_thread(story: sync.Session) -> None:
    def lines() -> Iterator[dict[str, str]]:
        for who in story.cast.ids:
            story.say(who, "Hm.").settled()
            yield {"speaker": who, "content": "Hm again."}

    assert [outcome.sequence for outcome in story.say_all(lines())] == [5, 6, 7]


def test_a_turn_says_what_it_did_not_wait_for_and_what_failed(story: sync.Session) -> None:
    turn = story.turn("alice")
    assert (turn.character, turn.notes, turn.pending, turn.failures, turn.text()) == ("alice", (), (), (), "")
    assert "construct Alice's message" in turn.query


def test_it_works_inside_a_running_event_loop_as_in_a_notebook() -> None:
    async def cell() -> int:
        with bare() as ew:
            story = ew.session("s1", cast=["alice"])
            story.say("alice", "Hm.").settled()
            return story.backstage().inspect("alice").total

    assert asyncio.run(cell()) == 1


def test_several_threads_may_tell_one_story(story: sync.Session) -> None:
    def tell(who: str) -> None:
        for number in range(10):
            story.say(who, f"Message {number}.")

    threads = [threading.Thread(target=tell, args=(who,)) for who in story.cast.ids]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert story.backstage().inspect("world").total == 30


def test_plugins_plain_or_async_run_as_in_the_asynchronous_face() -> None:
    class Plain(Plugin):
        def on_message(self, event: MessageEvent) -> MessageAnswer:
            return MessageAnswer(add={"bob": "hears everything"})

    class Async(Plugin):
        async def on_message(self, event: MessageEvent) -> MessageAnswer:
            await asyncio.sleep(0)
            return MessageAnswer(add={"charlie": "reads minds"})

    with bare(Plain(), Async()) as ew:
        story = ew.session("s1", cast=["alice", "bob", "charlie"])
        assert set(story.say("alice", "Hm.").settled().participants) == {"alice", "bob", "charlie"}


# ── what goes wrong ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_errors_come_through_as_they_are(ew: sync.Earwitness, story: sync.Session) -> None:
    story.say("alice", "One.", key="m1")
    with pytest.raises(KeyConflict, match="already belongs to"):
        story.say("alice", "Two.", key="m1")
    with pytest.raises(UnknownName, match="unknown character 'zoe'"):
        story.turn("zoe")
    with pytest.raises(UnknownName, match="unknown session"):
        ew.open_session("s7")


def test_what_was_decided_is_not_to_be_read_before_it_is_settled(story: sync.Session) -> None:
    outcome = story.say("alice", "One.")
    assert (outcome.created, outcome.sequence) == (True, 2)
    with pytest.raises(NotDecided):
        _ = outcome.participants
    outcome.settled()
    assert outcome.settlement.message is not None
    assert not outcome.degraded
    assert {each.owner for each in outcome.deliveries} == {"alice", "world"}
    assert outcome.key in repr(outcome)


def test_the_hosts_own_error_leaves_the_block_unwrapped() -> None:
    def host() -> None:
        with bare() as ew:
            ew.session("s1", cast=["alice"]).say("alice", "Hm.")
            _ = 1 / 0

    with pytest.raises(ZeroDivisionError):
        host()


def test_a_store_that_cannot_be_opened_raises_its_own_error_and_leaves_no_thread() -> None:
    class Locked(MemoryStore):
        async def open(self) -> None:
            raise EarwitnessError("locked")

    before = threading.active_count()
    opened = sync.Earwitness.open(store=Locked(), ledger=MemoryLedger(), **BARE)
    with pytest.raises(EarwitnessError, match="locked"):
        opened.__enter__()
    assert threading.active_count() == before


def test_an_instance_may_be_opened_and_closed_by_two_calls() -> None:
    ew = bare().start()
    story = ew.session("s1", cast=["alice"])
    with pytest.raises(InputError, match="open already"):
        ew.start()
    assert story.say("alice", "Hm.").settled().message is not None
    ew.close()
    ew.close()
    with pytest.raises(NotOpen):
        story.say("alice", "Hm?")


def test_nothing_can_be_asked_of_an_instance_that_is_not_open() -> None:
    closed = bare()
    with pytest.raises(NotOpen, match=r"is not open\. Use it and its sessions in `with Earwitness.open"):
        closed.sessions()
    with closed as ew:
        story = ew.session("s1", cast=["alice"])
    with pytest.raises(NotOpen, match=r"is not open\. Use it and its sessions in `with Earwitness.open"):
        story.say("alice", "Hm.")


HANGING = """
import asyncio, pathlib, sys
from earwitness.sync import Earwitness
from earwitness.hooks import Plugin

class Hanging(Plugin):
    async def on_message(self, event):
        print("asked", flush=True)
        await asyncio.sleep(600)

try:
    with Earwitness.open(sys.argv[1], plugins=[Hanging()], detector="everyone", world_agent="none") as ew:
        ew.session("s1", cast=["alice"]).say("alice", "Hm.", key="m1").settled()
except KeyboardInterrupt:
    print("interrupted", flush=True)
with Earwitness.open(sys.argv[1], detector="everyone", world_agent="none") as ew:
    print(ew.open_session("s1").backstage().inspect("alice").total)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for one process there")
def test_ctrl_c_ends_the_wait_at_once_and_loses_nothing_acknowledged(tmp_path: object) -> None:
    command = [sys.executable, "-X", "faulthandler", "-c", HANGING, f"{tmp_path}/story.db"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env={**os.environ}) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "asked\n"
        run.send_signal(signal.SIGINT)
        try:
            answer, errors = run.communicate(timeout=60)  # the plugin hangs for ten minutes; a busy machine is slow
        except subprocess.TimeoutExpired:
            run.send_signal(signal.SIGABRT)  # faulthandler prints where each thread hangs
            answer, errors = run.communicate()
    assert answer == "interrupted\n1\n", errors


def test_importing_earwitness_does_not_import_the_synchronous_face() -> None:
    program = "import sys, earwitness; print('earwitness.sync' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"
