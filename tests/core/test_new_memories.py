"""A store that looks up what may have been written before is told what nobody can have written."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

import pytest

from earwitness import Earwitness
from earwitness.errors import MemoriesRefused, NotYetApplied
from earwitness.records.memory import Memory
from earwitness.testing.reference import MemoryLedger, MemoryStore

OpenApp = Callable[..., Awaitable[Earwitness]]


class Service(MemoryStore):
    """Knows what was put as new, and what was put."""

    def __init__(self) -> None:
        super().__init__()
        self.new: list[str] = []
        self.known: list[str] = []
        self.fails: Exception | None = None

    async def put_new(self, memories: Sequence[Memory]) -> None:
        self.new += [key for each in memories for key in each.message_keys]
        self._fail()
        await super().put(memories)

    async def put(self, memories: Sequence[Memory]) -> None:
        self.known += [key for each in memories for key in each.message_keys]
        self._fail()
        await super().put(memories)

    def _fail(self) -> None:
        if self.fails:
            raise self.fails

    def asked(self) -> tuple[set[str], set[str]]:
        found = set(self.new), set(self.known)
        self.new, self.known = [], []
        return found


@pytest.fixture(params=["alone", "with a fallback"])
def opened(request: pytest.FixtureRequest, open_app: OpenApp) -> OpenApp:
    async def opened(service: Service, ledger: MemoryLedger) -> Earwitness:
        if request.param == "alone":
            return await open_app(store=service, ledger=ledger, strict=False)
        from earwitness_plugins.stores.fallback import FallbackStore

        both = FallbackStore(primary=service, fallback=MemoryStore())
        return await open_app(store=both, ledger=ledger, strict=False)

    return opened


async def test_what_was_just_decided_is_new_and_what_was_tried_is_not(opened: OpenApp) -> None:
    service, ledger = Service(), MemoryLedger()
    ew = await opened(service, ledger)
    story = await ew.session("s1", cast=["alice", "bob"])
    await (await story.say("alice", "One.", key="m1", audience=["bob"])).decided()
    await story.delivered()
    assert service.asked() == ({"m1"}, set())
    service.fails = ConnectionError("away")
    await (await story.say("alice", "Two.", key="m2", audience=["bob"])).decided()
    with pytest.raises(NotYetApplied):
        await story.delivered()
    service.fails = None
    await story.delivered()
    new, known = service.asked()
    assert (new, known) == ({"m2"}, {"m2"})
    assert await service.count("s1-bob") == 2


async def test_what_an_earlier_start_has_decided_is_not_new(opened: OpenApp) -> None:
    service, ledger = Service(), MemoryLedger()
    service.fails = ConnectionError("away")
    ew = await opened(service, ledger)
    story = await ew.session("s1", cast=["alice", "bob"])
    await (await story.say("alice", "One.", key="m1", audience=["bob"])).decided()
    with pytest.raises(NotYetApplied):
        await story.delivered()
    await ew.close()
    service.fails = None
    service.asked()
    ew = await opened(service, ledger)
    await (await ew.open_session("s1")).delivered()
    assert service.asked() == (set(), {"m1"})


async def test_what_replaces_something_is_not_new(opened: OpenApp) -> None:
    service = Service()
    ew = await opened(service, MemoryLedger())
    story = await ew.session("s1", cast=["alice", "bob", "charlie"])
    await (await story.say("alice", "One.", key="m1", audience=["bob"])).decided()
    await story.delivered()
    service.asked()
    await (await story.edit("m1", "Two.")).decided()
    await (await story.tell("alice", "charlie", "m1")).decided()
    await story.delivered()
    assert service.asked() == (set(), {"m1"})


async def test_what_is_put_again_after_a_refusal_is_not_new(opened: OpenApp) -> None:
    service = Service()
    ew = await opened(service, MemoryLedger())
    story = await ew.session("s1", cast=["alice", "bob"])
    await story.delivered()
    service.fails = MemoriesRefused({"s1-world": {"another": "422"}, "s1-bob": {"m": "422"}})
    await (await story.say("alice", "One.", key="m1", audience=["bob"])).decided()
    with pytest.raises(NotYetApplied):
        await story.delivered()
    service.fails = None
    await story.delivered()
    assert service.asked() == ({"m1"}, {"m1"})
