"""Whatever a ledger or a store raises in the host's own call is an error of Earwitness that names it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from traceback import format_exception
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import SecretStr

from earwitness import Earwitness, Session
from earwitness.backend_failures import naming_failures
from earwitness.containers import persona_container
from earwitness.errors import KeyConflict, StorageError
from earwitness.extras import BranchingLedger, TermIndex
from earwitness.protocols import Ledger
from earwitness.records.backends import Health
from earwitness.records.memory import Memory
from earwitness.strategy import Strategy
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness.wrapper import innermost

OpenApp = Callable[..., Awaitable[Earwitness]]


class Panic(BaseException):
    """What a Rust extension raises."""


class Breakable:
    """Raises its `error` from every method that is awaited, once it has one."""

    error: BaseException | None = None

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if name.startswith("_") or name in {"error", "close"} or not asyncio.iscoroutinefunction(found):
            return found

        async def raising(*given: Any, **by_name: Any) -> Any:
            if self.error is not None:
                raise self.error
            return await found(*given, **by_name)

        return raising


class BrokenLedger(Breakable, MemoryLedger):
    """A ledger that breaks."""


class BrokenStore(Breakable, MemoryStore):
    """A store that breaks."""


async def exported(story: Session) -> list[Any]:
    return [line async for line in story.backstage().export()]


OF_LEDGER: dict[str, Callable[[Earwitness, Session], Awaitable[Any]]] = {
    "say": lambda ew, story: story.say("alice", "Hello again."),
    "say_all": lambda ew, story: story.say_all([{"speaker": "alice", "content": "Hello again."}]),
    "edit": lambda ew, story: story.edit("m1", "Goodbye."),
    "retract": lambda ew, story: story.retract("m1"),
    "change": lambda ew, story: story.change(game_day=4),
    "turn": lambda ew, story: story.turn("alice", before="m1"),
    "messages": lambda ew, story: story.messages(),
    "has": lambda ew, story: story.has("m7"),
    "outcome": lambda ew, story: story.outcome("m7"),
    "explain": lambda ew, story: story.backstage().explain("x"),
    "journal": lambda ew, story: story.backstage().journal(),
    "export": lambda ew, story: exported(story),
    "fork": lambda ew, story: story.fork("s2"),
    "session": lambda ew, story: ew.session("s3"),
    "sessions": lambda ew, story: ew.sessions(),
    "register": lambda ew, story: ew.register(persona_container("p", "alice")),
    "health": lambda ew, story: ew.health(),
    "forget": lambda ew, story: ew.forget("s1"),
}
OF_STORE: dict[str, Callable[[Earwitness, Session], Awaitable[Any]]] = {
    "search": lambda ew, story: story.backstage().search("alice", "hello"),
    "inspect": lambda ew, story: story.backstage().inspect("alice"),
    "who_knows": lambda ew, story: story.backstage().who_knows("hello"),
    "health": lambda ew, story: ew.health(),
    "turn": lambda ew, story: story.turn("alice"),
}


async def raised_by(call: Awaitable[Any]) -> BaseException | None:
    try:
        await call
    except BaseException as error:  # noqa: BLE001 - the test is about what it is
        return error
    return None


@pytest.mark.parametrize(
    "error", [Panic("no luck"), RuntimeError("no luck"), asyncio.CancelledError("no luck")], ids=repr
)
@pytest.mark.parametrize("call", [*(("ledger", each) for each in OF_LEDGER), *(("store", each) for each in OF_STORE)])
async def test_every_call_of_the_host_names_who_failed(
    open_app: OpenApp, call: tuple[str, str], error: BaseException
) -> None:
    kind, name = call
    backends = {"ledger": BrokenLedger(), "store": BrokenStore()}
    app = await open_app(**backends)
    story = await app.session("s1", cast=["alice", "bob"])
    await (await story.say("alice", "Hello.", key="m1")).settled()
    backends[kind].error = error
    raised = await raised_by((OF_LEDGER if kind == "ledger" else OF_STORE)[name](app, story))
    backends[kind].error = None
    assert isinstance(raised, StorageError)
    assert f"{kind}:broken{kind} failed in `" in str(raised)
    assert "no luck" in str(raised)


def broken(error: BaseException) -> MemoryLedger:
    ledger = BrokenLedger()
    ledger.error = error
    return naming_failures(Strategy("ledger", "mine", ledger, secrets=("s3cr3t-k3y",)))


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3), KeyConflict("taken")], ids=repr)
async def test_an_interrupt_the_end_of_the_program_and_errors_of_earwitness_pass(error: BaseException) -> None:
    assert await raised_by(broken(error).sessions()) is error


async def test_the_cancellation_of_the_host_passes() -> None:
    class Slow(MemoryLedger):
        async def sessions(self) -> Any:
            await asyncio.sleep(60)

    slow: Ledger = naming_failures(Strategy("ledger", "slow", Slow()))
    task = asyncio.create_task(raised_by(slow.sessions()))
    await asyncio.sleep(0)
    task.cancel()
    assert isinstance(await task, asyncio.CancelledError)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(slow.sessions(), 0.01)


async def test_no_failure_quotes_a_secret() -> None:
    raised = await raised_by(broken(ConnectionError("s3cr3t-k3y was refused")).sessions())
    assert str(raised) == "ledger:mine failed in `sessions`: ConnectionError: ********** was refused."
    assert raised is not None
    assert raised.__cause__ is None


class Quoting(MemoryStore):
    """A service that quotes the key it was called with, in its own errors and in all that it says of itself."""

    def __init__(self, key: str) -> None:
        super().__init__()
        self.key = SecretStr(key)

    @property
    def failures(self) -> tuple[str, ...]:
        return (self._said,)

    @property
    def _said(self) -> str:
        return f"401 bad key {self.key.get_secret_value()}"

    async def put(self, memories: Sequence[Memory]) -> None:
        raise StorageError(self._said) from ConnectionError(self._said)

    async def search(self, *given: Any, **by_name: Any) -> Any:
        raise StorageError(self._said)

    async def health(self) -> Health:
        return Health(ok=False, details={"problem": self._said})


@pytest.mark.parametrize("where", ["held", "environment"])
async def test_a_key_that_the_service_quotes_is_shown_and_recorded_nowhere(
    open_app: OpenApp, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    store = Quoting("s3cr3t-k3y")
    if where == "environment":
        monkeypatch.setenv("SOME_SERVICE_API_KEY", "s3cr3t-k3y")
        store.key = SimpleNamespace(get_secret_value=lambda: "s3cr3t-k3y")  # type: ignore[assignment]
    ledger = MemoryLedger()
    app = await open_app(store=store, ledger=ledger, strict=False)
    story = await app.session("s1", cast=["alice", "bob"], present=["alice", "bob"])
    await (await story.say("alice", "Hello.", key="m1")).decided()
    failed = await raised_by(story.delivered())
    turn = await story.turn("alice", query="hello", in_prompt=())
    shown = [
        "".join(format_exception(failed)) if failed else "",
        repr(turn.failures),
        repr(await app.health()),
        repr(await app.spool.waiting()),
        repr(await ledger.data("s1", "earwitness:spool")),
    ]
    assert all("401 bad key **********" in each for each in shown)
    assert "s3cr3t-k3y" not in repr(shown)


async def test_a_store_that_hangs_cannot_keep_its_health_for_itself(open_app: OpenApp) -> None:
    class Hanging(MemoryStore):
        async def health(self) -> Health:
            await asyncio.sleep(600)
            raise AssertionError

    app = await open_app(store=Hanging(), end={"store_timeout": 0.05})
    with pytest.raises(StorageError, match=r"the store has not answered within 0\.05 s"):
        await app.health()


async def test_a_ledger_and_a_store_keep_what_else_they_can_do(open_app: OpenApp) -> None:
    class Indexed(MemoryStore):
        size = 7

        async def holders(self, container: str, terms: Any) -> Any:
            raise NotImplementedError

    app = await open_app(store=Indexed())
    assert isinstance(app.engine.store, TermIndex)
    assert not isinstance(app.engine.ledger, BranchingLedger)
    assert innermost(app.engine.store).size == app.engine.store.size == 7  # type: ignore[attr-defined]
