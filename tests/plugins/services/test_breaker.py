"""A service that keeps failing is left alone for a while, then probed by one call."""

from __future__ import annotations

import asyncio

import pytest

from earwitness.errors import InvalidId, PartialWrite, StorageError
from earwitness_plugins.services.breaker import CircuitBreaker, LeftAlone


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


class Service:
    def __init__(self) -> None:
        self.error: BaseException | None = None
        self.calls = 0

    async def __call__(self) -> str:
        self.calls += 1
        if self.error:
            raise self.error
        return "here"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def breaker(clock: Clock) -> CircuitBreaker:
    return CircuitBreaker(failures=3, pause=1, longest=4, clock=clock)


async def fail(breaker: CircuitBreaker, service: Service, times: int = 1) -> None:
    service.error = ConnectionError("away")
    for _ in range(times):
        with pytest.raises(StorageError, match="away"):
            await breaker.call(service, 5)


async def test_it_opens_after_so_many_failures_in_a_row(breaker: CircuitBreaker) -> None:
    service = Service()
    await fail(breaker, service, 2)
    service.error = None
    assert await breaker.call(service, 5) == "here"
    assert breaker.failure is None
    await fail(breaker, service, 3)
    assert breaker.left
    await fail(breaker, service, 5)
    assert service.calls == 6
    assert breaker.failure == "ConnectionError: away"


async def test_after_the_pause_one_call_probes_and_closes_it(breaker: CircuitBreaker, clock: Clock) -> None:
    service = Service()
    await fail(breaker, service, 3)
    clock.now += 1
    service.error = None
    assert await breaker.call(service, 5) == "here"
    assert not breaker.left


async def test_each_pause_is_twice_as_long_up_to_the_longest(breaker: CircuitBreaker, clock: Clock) -> None:
    service = Service()
    await fail(breaker, service, 3)
    for pause in (1, 2, 4, 4, 4):
        clock.now += pause - 0.01
        calls = service.calls
        await fail(breaker, service)
        assert service.calls == calls
        clock.now += 0.01
        await fail(breaker, service)
        assert service.calls == calls + 1


async def test_while_one_call_probes_the_others_are_refused(breaker: CircuitBreaker, clock: Clock) -> None:
    await fail(breaker, Service(), 3)
    clock.now += 1
    release = asyncio.Event()
    probe = asyncio.create_task(breaker.call(release.wait, 5))
    await asyncio.sleep(0)
    with pytest.raises(StorageError, match="left alone for a while"):
        await breaker.call(Service(), 5)
    release.set()
    assert await probe
    assert await breaker.call(Service(), 5) == "here"


async def test_a_probe_that_is_cancelled_leaves_the_next_one(breaker: CircuitBreaker, clock: Clock) -> None:
    await fail(breaker, Service(), 3)
    clock.now += 1
    probe = asyncio.create_task(breaker.call(asyncio.Event().wait, 5))
    await asyncio.sleep(0.01)
    probe.cancel()
    await asyncio.gather(probe, return_exceptions=True)
    assert await breaker.call(Service(), 5) == "here"


async def test_a_service_that_hangs_has_failed(breaker: CircuitBreaker) -> None:
    with pytest.raises(StorageError, match=r"not answered within 0\.01 s"):
        await breaker.call(asyncio.Event().wait, 0.01)
    assert breaker.failure == "no answer within 0.01 s"


async def test_what_is_refused_as_such_is_no_failure_of_the_service(breaker: CircuitBreaker) -> None:
    service = Service()
    service.error = InvalidId("'?' is not a name")
    for _ in range(5):
        with pytest.raises(InvalidId):
            await breaker.call(service, 5)
    assert not breaker.left


async def test_a_service_that_takes_a_part_of_every_batch_is_not_left_alone(breaker: CircuitBreaker) -> None:
    service = Service()
    service.error = PartialWrite("a part", {"c": ["m"]})
    for _ in range(10):
        with pytest.raises(PartialWrite):
            await breaker.call(service, 5)
    assert service.calls == 10
    assert breaker.failure is None


async def test_calls_side_by_side_that_fail_together_count_as_one_opening(
    breaker: CircuitBreaker, clock: Clock
) -> None:
    away = asyncio.Event()

    async def work() -> None:
        await away.wait()
        raise ConnectionError("away")

    calls = [asyncio.create_task(breaker.call(work, 5)) for _ in range(10)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    away.set()
    await asyncio.gather(*calls, return_exceptions=True)
    assert breaker.left == 1
    clock.now += 1
    assert await breaker.call(Service(), 5) == "here"


async def test_what_was_asked_before_it_opened_does_not_fail_the_probe(breaker: CircuitBreaker, clock: Clock) -> None:
    before = breaker.period
    await fail(breaker, Service(), 3)
    breaker.failed("late", period=before)
    breaker.failed("a write, which does not ask first", period=breaker.period)
    assert breaker.left == 1
    clock.now += 1
    assert breaker.may_ask()
    breaker.failed("late", period=before)
    breaker.given_up(period=before)
    assert not breaker.may_ask()
    breaker.succeeded()
    assert breaker.may_ask()


async def test_the_pauses_of_two_breakers_do_not_add_up(breaker: CircuitBreaker, clock: Clock) -> None:
    inner = CircuitBreaker(failures=3, pause=2, longest=4, clock=clock)
    service = Service()
    service.error = ConnectionError("away")
    for _ in range(6):
        with pytest.raises(StorageError):
            await breaker.call(lambda: inner.call(service, 5), 5)
        clock.now += 0.3
    service.error = None
    clock.now = 101.7
    with pytest.raises(LeftAlone, match="left alone"):
        await breaker.call(lambda: inner.call(service, 5), 5)
    clock.now = 102.7
    assert await breaker.call(lambda: inner.call(service, 5), 5) == "here"


def test_one_failure_that_is_enough_opens_it_whatever_came_before() -> None:
    now = [0.0]
    breaker = CircuitBreaker(failures=3, pause=1, longest=8, clock=lambda: now[0])
    breaker.failed()
    breaker.failed(is_enough=True)
    assert breaker.left == 1
    now[0] = 1.5
    assert breaker.may_ask()
    breaker.failed(period=breaker.period, is_enough=True)
    assert breaker.left == 2
    breaker.succeeded()
    assert breaker.left == 0
