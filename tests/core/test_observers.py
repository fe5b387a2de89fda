"""Observers: told of everything that is asked, read and written; without them nothing is done for them."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy
import pytest
from anyio import to_thread
from pydantic import SecretStr

from earwitness import (
    Earwitness,
    Hit,
    Memory,
    MessageAnswer,
    MessageEvent,
    Moment,
    Observation,
    PlanEvent,
    Plugin,
    Presence,
    ReadEvent,
    Session,
    Settings,
    Share,
    SharingEvent,
    Usage,
    WorldAgentEvent,
    WorldAnswer,
    observers,
)
from earwitness.errors import SettingsError, StrategyError
from earwitness.extras import TermIndex
from earwitness.filters import EVERYTHING, Filter
from earwitness.loading.strategies import Strategies
from earwitness.observers import Observers, observed
from earwitness.protocols import Store
from earwitness.records.backends import EmbedderIdentity, TermHolders
from earwitness.strategy import Strategy
from earwitness.testing.ledger import LedgerSuite
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness.testing.store import StoreSuite
from earwitness.wrapper import innermost

Begin = Callable[..., Awaitable[Session]]
OpenApp = Callable[..., Awaitable[Earwitness]]
IN_MEMORY = "keeps nothing outside its process"


class Listener:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[Observation] = []

    def observe(self, observation: Observation) -> None:
        self.told.append(observation)

    @property
    def what(self) -> set[str]:
        return {each.what for each in self.told}

    def of(self, what: str) -> Observation:
        """The last time that this was done."""
        return [each for each in self.told if each.what == what][-1]


class Everything:
    """A detector, a World Agent, a sharing rule and a guard in one."""

    version = "7"

    def detect(self, moment: Moment) -> Presence:
        return Presence.only(moment.message.speaker)

    async def propose(self, event: WorldAgentEvent) -> WorldAnswer:
        usage = Usage(model="tiny", tokens_in=120, tokens_out=8, cost=0.002)
        return WorldAnswer(version="prompt 3", usage=usage, notes=("nobody was left out",))

    def share(self, event: SharingEvent) -> Iterable[Share]:
        return [Share(character="bob", shared_from="alice")]

    def filter(self, event: ReadEvent) -> Filter:
        return EVERYTHING

    async def strike(self, event: PlanEvent) -> tuple[()]:
        return ()


class Diary(Plugin):
    async def on_message(self, event: MessageEvent) -> MessageAnswer | None:
        return None


@pytest.fixture
def listener() -> Listener:
    return Listener()


def everything() -> dict[str, Any]:
    one = Everything()
    return {"detector": one, "world_agent": one, "sharing_rules": [one], "guards": [one], "plugins": [Diary()]}


# ── what is told ────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_everything_asked_read_and_written_is_told(begin: Begin, listener: Listener) -> None:
    story = await begin(observers=[listener], **everything())
    turn = await story.turn("alice")
    await (await turn.say("I have it.")).settled()
    assert {"ledger.open", "ledger.create", "ledger.load", "store.open"} <= listener.what
    assert {"guard.filter", "store.search"} <= listener.what
    assert {"ledger.append_all", "detector.detect", "world_agent.propose", "plugin.on_message"} <= listener.what
    assert {"sharing_rule.share", "guard.strike", "ledger.record", "store.put", "ledger.acknowledge"} <= listener.what


async def test_it_is_told_by_whom_in_which_session_and_container_how_long_and_how_much(
    begin: Begin, listener: Listener
) -> None:
    story = await begin(observers=[listener], **everything())
    await (await story.say("alice", "The key is under the mat.")).settled()
    await story.turn("alice", query="key mat", in_prompt=[])
    put, search, recorded = listener.of("store.put"), listener.of("store.search"), listener.of("ledger.record")
    assert (search.by, search.method) == ("store:memorystore", "search")
    assert (search.container, search.count) == ("s1-alice", 1)
    assert (put.count, put.container, put.failure) == (3, None, None)  # the world's copy, Alice's and Bob's
    assert (recorded.session, recorded.count) == ("s1", 3)
    assert listener.of("guard.filter").container == "s1-alice"
    assert listener.of("sharing_rule.share").count == listener.of("detector.detect").count == 1
    assert all(0 < each.seconds < 5 for each in listener.told)


async def test_models_versions_and_costs_are_told_as_plans_record_them(begin: Begin, listener: Listener) -> None:
    story = await begin(observers=[listener], **everything())
    settlement = await (await story.say("alice", "Hello.")).settled()
    told = listener.of("world_agent.propose")
    (recorded,) = [each for each in settlement.plan.answers if each.by == told.by]
    assert told.usage == recorded.usage == Usage(model="tiny", tokens_in=120, tokens_out=8, cost=0.002)
    assert told.version == recorded.version == "prompt 3"
    assert recorded.notes == ("nobody was left out",)
    assert str(recorded).endswith(" s; nobody was left out")
    assert listener.of("detector.detect").version == "7"


async def test_what_an_unusable_answer_has_cost_is_told_and_recorded(begin: Begin, listener: Listener) -> None:
    class Costly(Everything):
        async def propose(self, event: WorldAgentEvent) -> WorldAnswer:
            return Presence.only("alice").model_copy(update={"usage": Usage(model="tiny", cost=1)})  # type: ignore[return-value]

    story = await begin(observers=[listener], world_agent=Costly(), strict=False)
    settlement = await (await story.say("alice", "Hello.")).settled()
    (recorded,) = [each for each in settlement.plan.answers if each.by == "world_agent:costly"]
    told = listener.of("world_agent.propose")
    assert recorded.failure == told.failure == "answered Presence, expected WorldAnswer or None"
    assert recorded.usage == told.usage == Usage(model="tiny", cost=1)


async def test_a_call_that_fails_and_one_that_takes_too_long_are_told_with_their_failures(
    begin: Begin, listener: Listener
) -> None:
    class Away(MemoryStore):
        async def search(
            self, container: str, query: str, *, filter: Filter = EVERYTHING, limit: int = 10
        ) -> Sequence[Hit]:
            if query == "at once":
                raise ConnectionError("nobody there")
            await asyncio.sleep(60)
            return []

    story = await begin(observers=[listener], store=Away(), strict=False, recall={"timeout": 0.05})
    await story.turn("alice", query="at once")
    assert listener.of("store.search").failure == "ConnectionError: nobody there"
    await story.turn("alice", query="in a minute")
    assert str(listener.of("store.search").failure).startswith("CancelledError")
    assert listener.of("store.search").seconds >= 0.05


# ── nobody listening ────────────────────────────────────────────────────────────────────────────────────────────────


class WithWords(MemoryStore):
    """A store that can be asked for terms, and is made with an embedder."""

    atomic = True

    def __init__(self, embedder: object = None) -> None:
        super().__init__()
        self.embedder = embedder

    async def holders(self, container: str, terms: Sequence[str]) -> TermHolders:
        return TermHolders(count=0, ids=dict.fromkeys(terms, ()))


class Vectors:
    """An embedder without vectors."""

    identity = EmbedderIdentity(name="none", digest="0", dimension=1)

    def embed(self, texts: Sequence[str]) -> Any:
        return numpy.zeros((len(texts), 1), numpy.float32)


async def test_without_observers_no_call_is_measured(open_app: OpenApp, monkeypatch: pytest.MonkeyPatch) -> None:
    def never() -> float:
        raise AssertionError("somebody has looked at the clock")

    monkeypatch.setattr(observers, "perf_counter", never)
    monkeypatch.setattr(Observers, "tell", never)
    made: list[WithWords] = []

    def store(*, embedder: object) -> WithWords:
        made.append(WithWords(embedder))
        return made[0]

    monkeypatch.setattr(Strategies, "factory", lambda self, kind, name: store)
    ledger, vectors = MemoryLedger(), Vectors()
    app = await open_app(ledger=ledger, store="mine", embedder=vectors)
    assert innermost(app.engine.ledger) is ledger
    assert innermost(app.engine.store) is made[0]
    assert made[0].embedder is vectors
    story = await app.session("s1", cast=["alice"])
    await (await story.say("alice", "Hello.")).settled()
    await story.turn("alice")


async def test_two_instances_never_hear_of_each_other(open_app: OpenApp, listener: Listener) -> None:
    other = Listener()
    here, there = await open_app(observers=[listener]), await open_app(observers=[other])
    await here.session("here", cast=["alice"])
    await there.session("there", cast=["alice"])
    assert {each.session for each in listener.told} == {None, "here"}
    assert {each.session for each in other.told} == {None, "there"}


# ── an observer that lets everybody down ────────────────────────────────────────────────────────────────────────────


class Broken:
    """Raises whenever it is told."""

    def __init__(self, error: BaseException) -> None:
        self.error = error
        self.times = 0

    def observe(self, observation: Observation) -> None:
        self.times += 1
        raise self.error


@pytest.mark.parametrize("error", [ValueError("no room"), SystemExit(1), asyncio.CancelledError()])
async def test_one_that_raises_is_switched_off_and_named_and_breaks_nothing(
    error: BaseException, begin: Begin, listener: Listener
) -> None:
    broken = Broken(error)
    story = await begin(observers=[broken, listener], strict=False)
    settlement = await (await story.say("alice", "Hello.")).settled()
    turn = await story.turn("alice")
    assert settlement.plan.deliveries
    assert broken.times == 1
    assert "store.put" in listener.what
    (named,) = turn.failures
    assert named.startswith(f"observer:broken: {type(error).__name__}")
    assert named.endswith("it was switched off")


async def test_with_strict_the_next_turn_raises(begin: Begin) -> None:
    story = await begin(observers=[Broken(ValueError("no room"))], strict=True)
    with pytest.raises(StrategyError, match="observer:broken: ValueError: no room"):
        await story.turn("alice")


async def test_one_that_is_async_is_switched_off_with_what_to_write(begin: Begin) -> None:
    class Late:
        async def observe(self, observation: Observation) -> None: ...

    story = await begin(observers=[Late()], strict=False)
    (named,) = (await story.turn("alice")).failures
    assert "observer:late: `observe` is async" in named
    assert "Write it plainly" in named


def test_what_it_says_of_its_failure_quotes_no_secret_of_its_settings() -> None:
    told = Observers([Strategy("observer", "cloud", Broken(ValueError("bad key sk-4711")), secrets=("sk-4711",))])
    told.tell(Observation(kind="store", name="x", method="get", seconds=0))
    assert "sk-4711" not in str(told.failures)


# ── choosing observers ──────────────────────────────────────────────────────────────────────────────────────────────


async def test_they_are_chosen_by_settings_like_any_strategy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Costs(Listener):
        made: list[Costs] = []

        def __init__(self, *, limit: int) -> None:
            super().__init__()
            self.limit = limit
            Costs.made.append(self)

    monkeypatch.setitem(sys.modules, "costs_of_the_tests", SimpleNamespace(Costs=Costs))
    table = 'path = "s.db"\n[[observers]]\nname = "costs_of_the_tests.Costs"\nlimit = 3\n'
    (tmp_path / "earwitness.toml").write_text(table, "utf-8")
    settings = Settings.load(tmp_path / "earwitness.toml")
    async with Earwitness.open(settings=settings, embedder="none") as ew:
        await ew.session("s1", cast=["alice"])
    (costs,) = Costs.made
    assert costs.limit == 3
    assert {"ledger:sqlite", "store:sqlite"} <= {each.by for each in costs.told}


def test_what_cannot_observe_is_refused_when_it_is_handed_over() -> None:
    with pytest.raises(SettingsError, match=r"observer 'object' .* has no method observe"):
        Earwitness.open("s.db", observers=[object()])


# ── the wrapper ─────────────────────────────────────────────────────────────────────────────────────────────────────


def wrapped(made: Any, kind: str, listener: Listener) -> Any:
    return observed(Strategy(kind, "mine", made), Observers([Strategy("observer", "listener", listener)]))


async def test_capabilities_and_attributes_of_what_is_wrapped_are_found_on_the_wrapper(listener: Listener) -> None:
    plain: Any = wrapped(MemoryStore(), "store", listener)
    able: Any = wrapped(WithWords("an embedder"), "store", listener)
    assert [isinstance(plain, each) for each in (Store, TermIndex)] == [True, False]
    assert [isinstance(able, each) for each in (Store, TermIndex)] == [True, True]
    assert (able.atomic, able.embedder) == (True, "an embedder")
    assert await able.holders("s1-world", ["key"]) == TermHolders(count=0, ids={"key": ()})
    assert (listener.told[0].what, listener.told[0].container) == ("store.holders", "s1-world")
    with pytest.raises(AttributeError, match="'WithWords' object has no attribute 'nothing'"):
        _ = able.nothing


async def test_an_embedder_is_observed_whether_it_answers_at_once_or_later_here_or_on_a_thread(
    listener: Listener,
) -> None:
    class Later(Vectors):
        async def embed(self, texts: Sequence[str]) -> Any:
            return super().embed(texts)

    at_once, later = wrapped(Vectors(), "embedder", listener), wrapped(Later(), "embedder", listener)
    assert at_once.identity == Vectors.identity
    assert at_once.embed(["a", "b"]).shape == (2, 1)
    assert (await later.embed(["a"])).shape == (1, 1)
    assert (await to_thread.run_sync(at_once.embed, ["a", "b", "c"])).shape == (3, 1)
    assert [(each.what, each.count) for each in listener.told] == [("embedder.embed", n) for n in (2, 1, 3)]


async def test_a_call_with_wrong_arguments_fails_as_it_would_without_the_wrapper(listener: Listener) -> None:
    with pytest.raises(TypeError, match="query"):
        await wrapped(MemoryStore(), "store", listener).search("s1-alice")
    assert str(listener.told[0].failure).startswith("TypeError")


async def test_a_failure_that_quotes_a_secret_is_told_without_it(listener: Listener) -> None:
    class Cloud(MemoryStore):
        async def get(self, container: str, ids: Sequence[str]) -> Sequence[Memory]:
            raise ConnectionError("bad key sk-4711")

    part = Strategy("store", "cloud", Cloud(), {"api_key": SecretStr("sk-4711")}, ("sk-4711",))
    store = observed(part, Observers([Strategy("observer", "listener", listener)]))
    with pytest.raises(ConnectionError):
        await store.get("s1-alice", ["m1"])
    assert listener.told[0].failure == "ConnectionError: bad key **********"


class TestObservedStore(StoreSuite):
    """A wrapped store does all that the store does."""

    persistent = IN_MEMORY
    shared = IN_MEMORY
    ranks_by_meaning = "ranks by words only"

    def make_store(self) -> Any:
        return wrapped(MemoryStore(), "store", Listener())


class TestObservedLedger(LedgerSuite):
    """A wrapped ledger does all that the ledger does."""

    persistent = IN_MEMORY
    shared = IN_MEMORY

    def make_ledger(self) -> Any:
        return wrapped(MemoryLedger(), "ledger", Listener())
