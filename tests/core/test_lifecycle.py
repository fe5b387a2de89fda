"""What an instance is made of is opened and closed with it, whatever its kind."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from earwitness import Earwitness, Moment, Observation, Plugin, Presence
from earwitness.errors import StorageError, StrategyError
from earwitness.records.backends import EmbedderIdentity
from earwitness.testing.reference import MemoryLedger, MemoryStore

PLANTED = "sk-planted-4711"


class Part:
    """Something with a lifecycle, which may fail."""

    def __init__(self, log: list[str], *, fails: dict[str, BaseException] | None = None) -> None:
        self.log = log
        self.fails = fails or {}

    def _done(self, what: str) -> None:
        self.log.append(f"{what} {type(self).__name__.lower()}")
        if error := self.fails.get(what):
            raise error

    async def open(self) -> None:
        self._done("open")

    async def close(self) -> None:
        self._done("close")


class Telemetry(Part):
    def observe(self, observation: Observation) -> None: ...


class Vectors(Part):
    identity = EmbedderIdentity(name="vectors", digest="0", dimension=1)

    def embed(self, texts: Any) -> Any:
        raise NotImplementedError


class Book(Part, MemoryLedger):
    def __init__(self, log: list[str], **fails: Any) -> None:
        Part.__init__(self, log, **fails)
        MemoryLedger.__init__(self)


class Shelf(Part, MemoryStore):
    def __init__(self, log: list[str], **fails: Any) -> None:
        Part.__init__(self, log, **fails)
        MemoryStore.__init__(self)


class Ear(Part):
    def detect(self, moment: Moment) -> Presence:
        return Presence.only(moment.message.speaker)


class Agent(Part):
    def propose(self, event: object) -> None: ...


class Rule(Part):
    def share(self, event: object) -> list[Any]:
        return []


class Wall(Part):
    def filter(self, event: object) -> Any: ...

    def strike(self, event: object) -> list[Any]:
        return []


class Shelves(Part):
    def reads(self, event: object) -> list[Any]:
        return []


class Diary(Part, Plugin):
    async def on_message(self, event: object) -> None: ...


KINDS: dict[str, type[Part]] = {
    "observers": Telemetry,
    "embedder": Vectors,
    "ledger": Book,
    "store": Shelf,
    "detector": Ear,
    "world_agent": Agent,
    "sharing_rules": Rule,
    "guards": Wall,
    "read_providers": Shelves,
    "plugins": Diary,
}
"""In the order in which they are opened."""
ORDER = [kind.__name__.lower() for kind in KINDS.values()]


@pytest.fixture
def log() -> list[str]:
    return []


@pytest.fixture
def opened_with(log: list[str]) -> Callable[..., Earwitness]:
    """An instance whose every part keeps the log; `fails` are parts that fail, by setting."""

    def make(**fails: dict[str, BaseException]) -> Earwitness:
        parts = {setting: kind(log, fails=fails.get(setting)) for setting, kind in KINDS.items()}
        several: dict[str, Any] = {
            setting: [part] if setting.endswith("s") else part for setting, part in parts.items()
        }
        return Earwitness.open(settings={"plugins": []}, **several)

    return make


OpenedWith = Callable[..., Earwitness]


async def test_every_part_is_opened_in_order_and_closed_in_reverse(opened_with: OpenedWith, log: list[str]) -> None:
    async with opened_with():
        assert log == [f"open {name}" for name in ORDER]
        log.clear()
    assert log == [f"close {name}" for name in reversed(ORDER)]


async def test_start_and_close_do_the_same_and_may_be_repeated(opened_with: OpenedWith, log: list[str]) -> None:
    ew = opened_with()
    for _ in range(2):
        log.clear()
        await ew.start()
        await ew.close()
        await ew.close()
        assert log == [f"open {name}" for name in ORDER] + [f"close {name}" for name in reversed(ORDER)]


async def test_active_deliveries_in_two_places_is_opened_once(log: list[str]) -> None:
    class Both(Book, Shelf):  # type: ignore[misc]
        async def drop(self, container: str) -> None:
            await MemoryStore.drop(self, container)

    class Twice(Wall, Rule): ...

    twice = Twice(log)
    for observers in ([], [Telemetry([])]):
        log.clear()
        both = Both(log)
        async with Earwitness.open(
            ledger=both,
            store=both,
            guards=[twice],
            sharing_rules=[twice],
            observers=observers,
            detector="everyone",
            world_agent="none",
            embedder="none",
            settings={"plugins": []},
        ):
            pass
        assert log == ["open both", "open twice", "close twice", "close both"]


async def test_a_part_of_another_strategy_is_opened_too(log: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    class Logged(Ear):
        def __init__(self) -> None:
            super().__init__(log)

    class Pair:
        def __init__(self, detectors: list[Ear]) -> None:
            self.detectors = detectors

        def detect(self, moment: Moment) -> Presence:
            return self.detectors[0].detect(moment)

    monkeypatch.setitem(sys.modules, "lifecycle_of_the_tests", SimpleNamespace(Logged=Logged, Pair=Pair))
    detector = {"name": "lifecycle_of_the_tests.Pair", "detectors": ["lifecycle_of_the_tests.Logged"]}
    async with Earwitness.open(store=MemoryStore(), ledger=MemoryLedger(), detector=detector, embedder="none"):
        assert log == ["open logged"]
    assert log == ["open logged", "close logged"]


async def test_methods_may_be_plain_and_either_may_be_missing(log: list[str]) -> None:
    class OnlyClosed(Ear):
        open = None  # type: ignore[assignment]

        def close(self) -> None:  # type: ignore[override]
            log.append("closed plainly")

    class OnlyMade(Wall):
        """Its `open` makes instances, as `Earwitness.open` does; nothing calls it."""

        close = None  # type: ignore[assignment]

        @classmethod
        def open(cls) -> OnlyMade:  # type: ignore[override]
            raise AssertionError("it is made already")

    async with Earwitness.open(
        store=MemoryStore(), ledger=MemoryLedger(), detector=OnlyClosed(log), guards=[OnlyMade(log)], embedder="none"
    ):
        assert log == []
    assert log == ["closed plainly"]


async def test_what_was_opened_is_closed_when_a_later_part_cannot_be(opened_with: OpenedWith, log: list[str]) -> None:
    ew = opened_with(detector={"open": OSError("no route")})
    with pytest.raises(StrategyError, match=r"^detector:ear could not be opened: OSError: no route\.$") as caught:
        await ew.start()
    assert isinstance(caught.value.__cause__, OSError)
    assert log == [f"open {name}" for name in ORDER[:5]] + [f"close {name}" for name in reversed(ORDER[:4])]


async def test_errors_of_ours_pass_as_they_are(opened_with: OpenedWith) -> None:
    full = StorageError("no space left")
    with pytest.raises(StorageError) as caught:
        async with opened_with(store={"open": full}):
            raise AssertionError
    assert caught.value is full


async def test_a_failing_close_is_raised_once_the_others_are_closed(opened_with: OpenedWith, log: list[str]) -> None:
    failing = {"guards": {"close": OSError("cut")}, "store": {"close": StorageError("gone")}}
    with pytest.raises(StrategyError, match=r"guard:wall could not be closed: OSError: cut") as caught:
        async with opened_with(**failing):
            log.clear()
    assert log == [f"close {name}" for name in reversed(ORDER)]
    assert caught.value.__notes__ == ["StorageError: gone"]


async def test_it_is_a_note_on_the_error_of_the_host(opened_with: OpenedWith, log: list[str]) -> None:
    error = KeyError("mine")
    with pytest.raises(KeyError) as caught:
        async with opened_with(guards={"close": OSError("cut")}):
            raise error
    assert caught.value is error
    assert error.__notes__ == ["StrategyError: guard:wall could not be closed: OSError: cut."]
    assert log[-1] == "close telemetry"


@pytest.mark.parametrize("error", [OSError(f"401 {PLANTED}"), StorageError(f"401 {PLANTED}")])
async def test_no_failure_quotes_a_secret(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    class Asking(Ear):
        def __init__(self, api_key: str) -> None:
            super().__init__([], fails={"open": error})

    monkeypatch.setitem(sys.modules, "asking_of_the_lifecycle", SimpleNamespace(Asking=Asking))
    detector = {"name": "asking_of_the_lifecycle.Asking", "api_key": PLANTED}
    ew = Earwitness.open(store=MemoryStore(), ledger=MemoryLedger(), detector=detector, embedder="none")
    with pytest.raises((StrategyError, StorageError), match=r"401 \*\*\*") as caught:
        await ew.start()
    assert PLANTED not in f"{caught.value!r}{caught.value.__cause__!r}"
