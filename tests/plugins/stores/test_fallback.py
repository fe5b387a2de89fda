"""Two stores that hold the same: the one here answers, keeps and remembers while the other is away."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from earwitness import Earwitness
from earwitness.errors import EmbedderMismatch, InvalidId, NotYetApplied, SettingsError
from earwitness.events import WorldAgentEvent
from earwitness.filters import equals
from earwitness.records.memory import Hit, Memory
from earwitness.testing.reference import MemoryStore
from earwitness.testing.samples import memory
from earwitness_plugins.stores.fallback import FallbackStore

from .two_stores import CAST, Service, Shared, held, local, said


@pytest.mark.parametrize("way", ["away", "hangs"])
async def test_while_the_service_is_away_memories_are_kept_here_and_delivered_in_order_once_it_is_back(
    shared: Shared, service: Service, way: str
) -> None:
    async with shared.opened(service) as ew:
        story = await ew.session("s1", cast=CAST)
        await said(story, "m0")
        await story.delivered()
        setattr(service, way, True)
        await said(story, *(f"m{number}" for number in range(1, 12)))
        await story.settled(timeout=20)
        assert await held(local(ew), "s1-bob") == [f"m{number}" for number in range(12)]
        pending = await ew.engine.ledger.deliveries("s1", status="pending", container="s1-bob")
        assert [each.source for each in pending] == [f"m{number}" for number in range(1, 12)]
        with pytest.raises(NotYetApplied):
            await story.delivered(timeout=0.05)
        setattr(service, way, False)
        await story.delivered(timeout=20)
        assert await held(service, "s1-bob") == [f"m{number}" for number in range(12)]
        assert len(service.written) == len(set(service.written))
        assert await ew.engine.ledger.deliveries("s1", status="pending") == []


async def test_edits_and_retractions_take_effect_here_while_the_service_is_away(
    shared: Shared, service: Service
) -> None:
    async with shared.opened(service) as ew:
        story = await ew.session("s1", cast=CAST)
        await said(story, "m1", "m2", "m3")
        await story.delivered()
        service.away = True
        await (await story.edit("m1", "The sword is in the lake.")).settled(timeout=20)
        await (await story.retract("m2")).decided()
        await said(story, "m4")
        await story.settled(timeout=20)
        found = {each.message_keys[0]: each.content for each in await local(ew).list("s1-bob")}
        assert sorted(found) == ["m1", "m3", "m4"]
        assert "lake" in found["m1"]
        service.away = False
        await story.delivered(timeout=20)
        assert await service.list("s1-bob") == await local(ew).list("s1-bob")


async def test_what_was_not_delivered_survives_a_new_start_with_the_service_away(
    shared: Shared, service: Service
) -> None:
    service.away = True
    async with shared.opened(service) as ew:
        story = await ew.session("s1", cast=CAST)
        await said(story, "m1", "m2")
    async with shared.opened(service) as ew:
        story = await ew.open_session("s1")
        await said(story, "m3")
        await story.settled(timeout=20)
        assert await held(local(ew), "s1-bob") == ["m1", "m2", "m3"]
        turn = await story.turn("bob", query="the sword of m1", in_prompt=[])
        assert {each.memory.message_keys[0] for each in turn.memories} == {"m1", "m2", "m3"}
        service.away = False
        await story.delivered(timeout=20)
        assert service.opened == 1
    assert await held(service, "s1-bob") == ["m1", "m2", "m3"]
    assert len(service.written) == len(set(service.written))


async def test_a_world_agent_reads_from_here_while_the_service_is_away(shared: Shared, service: Service) -> None:
    found: list[str] = []

    class Reads:
        async def propose(self, event: WorldAgentEvent) -> None:
            found.extend([hit.memory.message_keys[0] for hit in await event.world.search("sword")])

    async with shared.opened(service, world_agent=Reads()) as ew:
        story = await ew.session("s1", cast=CAST)
        service.away = True
        await said(story, "m1", "m2")
        await story.settled(timeout=20)
        await said(story, "m3")
        assert sorted(found[-2:]) == ["m1", "m2"]
        service.away = False


async def test_backstage_waits_for_the_service_since_it_tells_what_was_delivered(
    shared: Shared, service: Service
) -> None:
    async with shared.opened(service) as ew:
        story = await ew.session("s1", cast=CAST)
        service.away = True
        await said(story, "m1")
        with pytest.raises(NotYetApplied, match="no route to the service"):
            await story.backstage().who_knows("the sword")
        service.away = False


async def test_a_character_is_forgotten_in_both(shared: Shared, service: Service) -> None:
    async with shared.opened(service) as ew:
        story = await ew.session("s1", cast=CAST)
        await said(story, "m1")
        await story.delivered()
        service.away = True
        await story.forget("bob")
        await said(story, "m2")
        await story.settled(timeout=20)
        assert [await held(local(ew), name) for name in ("s1-bob", "s1-charlie")] == [[], ["m1", "m2"]]
        service.away = False
        await story.delivered(timeout=20)
        assert [await held(each, "s1-bob") for each in (service, local(ew))] == [[], []]
        assert await held(service, "s1-charlie") == ["m1", "m2"]


async def test_with_one_file_a_plan_and_its_memories_here_are_one_transaction(tmp_path: Path, service: Service) -> None:
    service.hangs = True
    async with Shared(tmp_path, one_file=True).opened(service) as ew:
        assert ew.engine.transaction is not None
        story = await ew.session("s1", cast=CAST)
        outcome = await story.say("alice", "The sword is in the cave.", key="m1")
        await outcome.decided()
        assert await held(local(ew), "s1-bob") == ["m1"]
        (entry,) = await ew.engine.ledger.entries("s1", after=outcome.sequence - 1)
        assert not entry.applied
        service.hangs = False
        await story.delivered(timeout=20)


async def test_what_the_service_finds_in_other_containers_or_against_the_filter_is_left_out(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = FallbackStore(primary=service, fallback=MemoryStore())
    await store.open()
    mine, other = memory("c", "mine", "sword", gameDay=1), memory("d", "other", "sword", gameDay=1)
    leaked = [mine, other, memory("c", "late", "sword", gameDay=9)]

    async def leaky(*given: Any, **more: Any) -> Sequence[Any]:
        return leaked if "hits" not in more else []

    async def leaky_hits(*given: Any, **more: Any) -> Sequence[Hit]:
        return [Hit(memory=each, score=1) for each in leaked]

    for name, answer in (("list", leaky), ("get", leaky), ("search", leaky_hits)):
        monkeypatch.setattr(service, name, answer)
    day = equals("gameDay", 1)
    assert await store.list("c", filter=day) == [mine]
    assert await store.get("c", ["mine", "other"]) == [mine]
    assert [hit.memory for hit in await store.search("c", "sword", filter=day)] == [mine]
    await store.close()


async def test_what_the_service_refuses_by_name_is_no_outage(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    store = FallbackStore(primary=service, fallback=MemoryStore())
    await store.open()

    async def refused(memories: Sequence[Memory]) -> None:
        raise InvalidId("'c' cannot be a name there")

    monkeypatch.setattr(service, "put", refused)
    for _ in range(5):
        with pytest.raises(InvalidId):
            await store.put([memory("c", "m")])
    assert store.failures == ()
    await store.close()


async def test_a_service_with_other_vectors_is_not_opened_silently(service: Service) -> None:
    class Other(Service):
        async def open(self) -> None:
            raise EmbedderMismatch("made by another embedder")

    with pytest.raises(EmbedderMismatch):
        await FallbackStore(primary=Other(), fallback=MemoryStore()).open()


async def test_health_tells_of_both(service: Service) -> None:
    store = FallbackStore(primary=service, fallback=MemoryStore())
    await store.open()
    assert (await store.health()).details == {
        "primary": "usable",
        "primary_containers": 0,
        "fallback_containers": 0,
    }

    async def away() -> Any:
        raise ConnectionError("no route")

    service.health = away  # type: ignore[method-assign]
    health = await store.health()
    assert not health.ok
    assert health.details["primary"] == "away: StorageError: ConnectionError: no route"
    await store.close()


async def test_both_stores_are_chosen_by_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "earwitness.toml"
    file.write_text(
        f"""path = {str(tmp_path / "story.db")!r}
        [store]
        name = "fallback"
        timeout = 0.5
        primary = {{ name = "sqlite", path = {str(tmp_path / "other.db")!r} }}
        fallback = "sqlite"
        """
    )
    async with Earwitness.open(settings=str(file)) as ew:
        assert ew.engine.transaction is not None
        story = await ew.session("s1", cast=CAST)
        await said(story, "m1")
        await story.delivered()
        assert (await ew.health())["store"].ok
    async with Earwitness.open(tmp_path / "other.db") as other:
        assert await held(other.engine.store, "s1-alice") == ["m1"]


@pytest.mark.parametrize(
    ("primary", "said"),
    [
        ("sqlite", r"primary and fallback are one and the same, '.*story.db'. Give one of them a place of its own"),
        ("fallback", "^primary of store 'fallback': store 'fallback' needs fallback, primary"),
        ({"name": "sqlite", "paht": "x.db"}, "^primary of store 'fallback': store 'sqlite' has no setting 'paht'"),
    ],
)
async def test_two_stores_that_are_none_are_refused(tmp_path: Path, primary: Any, said: str) -> None:
    settings = {"name": "fallback", "primary": primary, "fallback": "sqlite"}
    with pytest.raises(SettingsError, match=said):
        Earwitness.open(tmp_path / "story.db", store=settings)


async def test_a_secret_of_the_primary_is_neither_recorded_nor_shown(tmp_path: Path) -> None:
    settings = {
        "name": "fallback",
        "primary": {"name": f"{__name__}.Keyed", "api_key": "topsecret"},
        "fallback": "sqlite",
    }
    async with Earwitness.open(tmp_path / "story.db", store=settings, detector="everyone") as ew:
        assert "topsecret" not in repr(ew.settings) + ew.settings.model_dump_json()
        story = await ew.session("s1", cast=CAST)
        await said(story, "m1")
        await story.settled()
        turn = await story.turn("bob", query="sword")
        assert turn.failures
        assert "topsecret" not in "".join(turn.failures)


class Keyed(Service):
    """A service that quotes its key when it fails."""

    def __init__(self, *, api_key: str) -> None:
        super().__init__()
        self.key = api_key

    async def answer(self) -> None:
        raise ConnectionError(f"bad key {self.key}")


async def test_a_service_that_was_emptied_hides_nothing(shared: Shared) -> None:
    async with shared.opened(Service()) as ew:
        story = await ew.session("s1", cast=CAST)
        await said(story, "m0", "m1")
        await story.delivered()
        assert await ew.spool.lacking() == {}
    emptied = Service()
    async with shared.opened(emptied) as ew:
        story = await ew.open_session("s1")
        for keys in ({"m0", "m1"}, {"m0", "m1", "m2"}):
            turn = await story.turn("bob", query="the sword", in_prompt=[])
            assert {key for each in turn.memories for key in each.memory.message_keys} == keys
            assert "lacks memories of 's1-bob'" in turn.failures[0]
            await said(story, "m2")
            await story.delivered(timeout=20)
        assert (await ew.spool.lacking())["s1-bob"] == (1, 3)
        await (await story.retract("m1")).decided()
        await story.delivered(timeout=20)
        turn = await story.turn("bob", query="the sword", in_prompt=[])
        assert {key for each in turn.memories for key in each.memory.message_keys} == {"m0", "m2"}
        for container in ("s1-alice", "s1-bob", "s1-charlie", "s1-world"):
            await emptied.put(await local(ew).list(container))
        turn = await story.turn("bob", query="the sword", in_prompt=[])
        assert {key for each in turn.memories for key in each.memory.message_keys} == {"m0", "m2"}
        assert turn.failures == ()
        assert await ew.spool.lacking() == {}


async def test_an_answer_that_is_empty_is_believed_while_the_service_has_something(
    shared: Shared, service: Service
) -> None:
    async with shared.opened(service) as ew:
        story = await ew.session("s1", cast=CAST)
        await said(story, "m0", "m1")
        await story.delivered()
        (first, _) = await service.list("s1-bob")
        await MemoryStore.remove(service, {"s1-bob": [first.id]})
        assert await ew.engine.store.get("s1-bob", [first.id]) == []
        assert ew.engine.store.failures == ()  # type: ignore[attr-defined]
