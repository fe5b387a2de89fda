"""Plans: recorded once, with everything relational in them, and queried in many ways."""

# ruff: noqa: S101
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...extras import DataOwnersLedger
from ...protocols import Ledger
from ...records.character import as_cast
from ...records.disguise import Unmasking
from ...records.moment import Movement, Perceived
from ...records.plan import Answer, Delivery, Plan, PluginWrite, Restoration, Withdrawal
from ...records.snapshot import Snapshot
from ..reference import MemoryLedger
from ..samples import NOON, ODD_TEXTS, delivery, plan, said, settled
from ..suite import case
from .ledger_base import LedgerCases

RICH = Plan(
    session="s1",
    sequence=1,
    key="#1",
    message=settled("#1", 1, degraded=True),
    presence={"bob": Perceived(probability=0.8, role="addressee", evidence=("named",))},
    movements=(Movement(character="bob", kind="move", place="cellar", evidence="Bob goes down"),),
    deliveries=(
        delivery("w", owner="world", type="world_state_update"),
        delivery("m", cites=["w"]),
        delivery("n", owner="bob", via="m", due=3.5).model_copy(
            update={"metadata": {"a": 1, "b": 2.5, "c": ["x"], "d": True}}
        ),
        delivery("o", owner="bob").model_copy(update={"status": "struck", "reason": "a guard said no"}),
        delivery("p", owner="bob").model_copy(update={"disguises": {"alice": "the Masked Lady"}, "renewed": 1}),
        delivery("q", owner="bob").model_copy(update={"of_other": True}),
    ),
    supported=("q",),
    unmaskings=(Unmasking(source="#0", character="alice", name="the Masked Lady", to=("bob",)),),
    withdrawals=(
        Withdrawal(source="#0", reason="edited", removes={"d": "x"}),
        Withdrawal(removes={"e": "y"}, status="struck", reason="a guard said no"),
        Withdrawal(memory_id="z", removes={"f": "z"}, status="archived", reason="archived"),
    ),
    restorations=(Restoration(memory_id="z", restores={"g": "z"}),),
    due_day=2.5,
    state={"game_day": 2, "quest": None, "own": {"deep": [1, "two"]}},
    cast=as_cast(["alice", "bob", "dora"]),
    news_seen={"alice": 1},
    plugin_data=(PluginWrite(plugin="keepsake", key="k", value={"seen": [1, 2]}),),
    answers=(
        Answer(by="detector:rules", settings={"recent": 6}, seconds=0.1),
        Answer(by="plugin:x", failure="it broke"),
    ),
    degraded=True,
)


class Plans(LedgerCases):
    """`record`, `plan`, `plans`, `settle`, `deliveries`, `citing`, `messages`, `data`."""

    @case
    async def test_a_plan_comes_back_as_it_was_recorded(self, ledger: Ledger) -> None:
        """Every field comes back, and deliveries keep their order."""
        await self.story(ledger)
        assert await self.recorded(ledger, RICH, applied=False) == RICH
        assert await ledger.plan("s1", 1) == RICH
        assert list(await ledger.plans("s1")) == [RICH]
        assert await ledger.plan("s1", 2) is await ledger.plan("s2", 1) is None

    @case
    async def test_plans_are_listed_in_order(self, ledger: Ledger) -> None:
        """The limit is a sequence number, inclusive."""
        await self.story(ledger)
        for sequence in range(1, 5):
            await self.recorded(ledger, plan(sequence))
        assert [found.sequence for found in await ledger.plans("s1")] == [1, 2, 3, 4]
        assert [found.sequence for found in await ledger.plans("s1", up_to=2)] == [1, 2]

    @case
    async def test_a_recorded_plan_moves_the_session_on(self, ledger: Ledger) -> None:
        """State, cast and the `news_seen` of everybody move on, in this session only."""
        first = await self.story(ledger)
        other = await self.story(ledger, "s2")
        await self.recorded(ledger, RICH)
        assert await ledger.load("s1") == first.after(RICH)
        assert await ledger.load("s2") == other

    @case
    async def test_the_first_plan_wins_and_another_changes_nothing(self, ledger: Ledger) -> None:
        """Deliveries, message, data, withdrawals and session all stay as they are."""
        await self.story(ledger)
        await self.recorded(ledger, plan(1, delivery("m"), message=settled("#1", 1)))
        await ledger.append("s1", said(), timestamp=NOON)
        first = plan(2, delivery("n", sequence=2, source="#2"))
        now = (await ledger.load("s1") or Snapshot(id="s1")).after(first)
        assert await ledger.record(first, now) == first
        second = plan(
            2,
            delivery("o", sequence=2, source="#2"),
            message=settled("#1", 1, "other words"),
            withdrawals=(Withdrawal(source="#1", reason="edited"),),
            plugin_data=(PluginWrite(plugin="keepsake", key="k", value=1),),
        )
        assert await ledger.record(second, Snapshot(id="s1", decided=2, news_seen={"alice": 9})) == first
        assert await ledger.plan("s1", 2) == first
        assert await self.standing(ledger) == ["m", "n"]
        assert list(await ledger.messages("s1")) == [settled("#1", 1)]
        assert await ledger.data("s1", "keepsake") == {}
        assert await ledger.load("s1") == now

    @case
    async def test_settling_applies_exactly_the_deliveries_it_names(self, ledger: Ledger) -> None:
        """Other deliveries stay due, struck ones stay struck, and other sessions are untouched."""
        struck = delivery("c").model_copy(update={"status": "struck", "reason": "a guard said no"})
        await self.delivered(ledger, delivery("a"), delivery("b", due=5), struck, applied=False)
        await self.story(ledger, "s2")
        await ledger.acknowledge("s2", [1], [delivery("b", due=5).id])
        await ledger.acknowledge("s1", [1], [delivery("a").id, struck.id, "nobody"])
        found = {made.memory_id: (made.status, made.reason) for made in await ledger.deliveries("s1")}
        assert found == {"a": ("applied", None), "b": ("pending", None), "c": ("struck", "a guard said no")}

    @case
    async def test_the_same_way_to_the_same_memory_is_one_delivery(self, ledger: Ledger) -> None:
        """The earlier delivery stays as it is. Another way to the memory is another delivery."""
        await self.delivered(ledger, delivery("m"))
        again = delivery("m", sequence=2).model_copy(update={"body": "other words"})
        await self.recorded(ledger, plan(2, again, delivery("m", sequence=2, via="n")), applied=False)
        found = [(made.sequence, made.status, made.support.via, made.body) for made in await ledger.deliveries("s1")]
        assert found == [(1, "applied", None, delivery("m").body), (2, "pending", "n", delivery("m").body)]

    @case
    async def test_deliveries_come_by_day_then_entry_then_place_in_the_plan(self, ledger: Ledger) -> None:
        """Gossip arrives in this order."""
        await self.story(ledger)
        await self.recorded(
            ledger, plan(1, delivery("z", due=3), delivery("b", due=1), delivery("a", due=1)), applied=False
        )
        later = [delivery(id, sequence=2, due=due) for id, due in (("y", 3), ("d", 1), ("c", 2.5))]
        await self.recorded(ledger, plan(2, *later), applied=False)
        assert [found.memory_id for found in await ledger.deliveries("s1")] == ["b", "a", "d", "c", "z", "y"]
        assert [found.memory_id for found in await ledger.deliveries("s1", limit=2)] == ["b", "a"]
        assert [found.memory_id for found in await ledger.deliveries("s1", due_by=2.5)] == ["b", "a", "d", "c"]

    @case
    async def test_deliveries_must_meet_every_condition_given(self, ledger: Ledger) -> None:
        """Conditions are tried alone, in all pairs, and at random. An empty list of ids matches nothing."""
        await self._fill(ledger)
        model = MemoryLedger()
        await self._fill(model)
        conditions: list[dict[str, Any]] = [
            {"memory_ids": ["m0", "m3", "nobody"]},
            {"sources": ["#1"]},
            {"container": "s1-bob"},
            {"via": ["m0", "m1"]},
            {"rests_on": ["m1", "m2", "nobody"]},
            {"derived": True},
            {"status": "pending"},
            {"status": "applied"},
            {"due_by": 1.5},
            {"after": 1},
            {"types": ["lore", "message"]},
            {"limit": 2},
            *({name: []} for name in ("memory_ids", "sources", "via", "rests_on", "types")),
        ]
        for one in conditions:
            for other in conditions:
                asked = {**one, **other}
                assert list(await ledger.deliveries("s1", **asked)) == await model.deliveries("s1", **asked), asked
        assert list(await ledger.deliveries("s2")) == []

    @case
    async def test_citing_names_the_memories_whose_knowledge_rests_on_one(self, ledger: Ledger) -> None:
        """Each memory comes once, whichever line and delivery cites it."""
        await self.delivered(
            ledger,
            delivery("m", cites=["w1", "w2"]),
            delivery("m", via="n", cites=["w2"]),
            delivery("n", owner="bob", cites=["w3"]),
            delivery("w1", owner="world"),
        )
        await self.story(ledger, "s2")
        await self.recorded(ledger, plan(1, delivery("other", session="s2", cites=["w2"]), session="s2"))
        assert list(await ledger.citing("s1", ["w2"])) == ["m"]
        assert sorted(await ledger.citing("s1", ["w1", "w3", "nobody"])) == ["m", "n"]
        assert list(await ledger.citing("s1", ["m"])) == list(await ledger.citing("s1", [])) == []

    @case
    async def test_messages_come_oldest_first_and_the_newest_of_them_by_limit(self, ledger: Ledger) -> None:
        """They can be limited to a sequence number, or found by key."""
        await self._messages(ledger, 5)

        async def keys(**asked: Any) -> list[str]:
            return [found.message.key for found in await ledger.messages("s1", **asked)]

        assert await keys() == ["#1", "#2", "#3", "#4", "#5"]
        assert await keys(before=4) == ["#1", "#2", "#3"]
        assert await keys(limit=2) == ["#4", "#5"]
        assert await keys(before=4, limit=2) == ["#2", "#3"]
        assert await keys(keys=["#4", "#1", "nobody"]) == ["#1", "#4"]
        assert await keys(keys=["#4", "#1"], before=4) == ["#1"]
        assert await keys(keys=[]) == await keys(limit=0) == await keys(before=1) == []

    @case
    async def test_a_message_is_kept_as_last_settled(self, ledger: Ledger) -> None:
        """A revision or a retraction takes the place of the message."""
        await self._messages(ledger, 2)
        revised = settled("#1", 1, "other words")
        await self.recorded(ledger, plan(3, message=revised))
        assert list(await ledger.messages("s1")) == [revised, settled("#2", 2)]
        await self.recorded(ledger, plan(4, message=settled("#1", 1, "other words", retracted=True)))
        assert [found.retracted for found in await ledger.messages("s1")] == [True, False]

    @case
    async def test_a_plugin_keeps_its_data_by_session(self, ledger: Ledger) -> None:
        """Data is kept with a plan or without one. `None` removes a value.

        No other plugin or session sees or changes it.
        """
        for session in ("s1", "s2"):
            await self.story(ledger, session)
        writes = [PluginWrite(plugin="diary", key=text, value=[text, 1, None]) for text in ODD_TEXTS]
        await self.recorded(ledger, plan(1, plugin_data=(*writes, PluginWrite(plugin="other", key="k", value=True))))
        await ledger.write_data("s1", "diary", {"plain words": None, "new": {"deep": 1}, "nobody": None})
        await ledger.write_data("s2", "diary", {"new": 2})
        kept = {text: [text, 1, None] for text in ODD_TEXTS if text != "plain words"}
        assert await ledger.data("s1", "diary") == {**kept, "new": {"deep": 1}}
        assert await ledger.data("s1", "other") == {"k": True}
        assert await ledger.data("s2", "diary") == {"new": 2}
        if isinstance(ledger, DataOwnersLedger):
            assert [list(await ledger.data_owners(id)) for id in ("s1", "s2", "s3")] == [
                ["diary", "other"],
                ["diary"],
                [],
            ]
        assert await ledger.data("s2", "other") == await ledger.data("s3", "diary") == {}
        await self.recorded(ledger, plan(2, plugin_data=(PluginWrite(plugin="diary", key="new", value=None),)))
        assert await ledger.data("s1", "diary") == kept

    @case
    async def test_plans_and_what_follows_are_there_after_a_new_start(self, ledger: Ledger) -> None:
        """They are durable once `sync` has returned."""
        self.needs("persistent")
        await self.story(ledger)
        await self.recorded(ledger, RICH, applied=False)
        await ledger.acknowledge("s1", [1], [RICH.deliveries[0].id])
        await ledger.sync()
        now = await ledger.load("s1")
        await ledger.close()
        async with self.subject() as reopened:
            assert await reopened.load("s1") == now
            assert [found.status for found in await reopened.deliveries("s1", container="s1-world")] == ["applied"]
            assert await reopened.data("s1", "keepsake") == {"k": {"seen": [1, 2]}}
            assert list(await reopened.messages("s1")) == [RICH.message]
        await ledger.open()

    async def _messages(self, ledger: Ledger, number: int) -> None:
        await self.story(ledger)
        for sequence in range(1, number + 1):
            await self.recorded(ledger, plan(sequence, message=settled(f"#{sequence}", sequence)))

    async def _fill(self, ledger: Ledger) -> None:
        """Record two plans with many kinds of deliveries, and apply half of them."""
        await self.story(ledger)
        for sequence in (1, 2):
            made = list(_kinds(sequence))
            await self.recorded(ledger, plan(sequence, *made), applied=False)
            await ledger.acknowledge("s1", [sequence], [found.id for found in made[::2]])


def _kinds(sequence: int) -> Sequence[Delivery]:
    return [
        delivery(
            f"m{number + sequence - 1}",
            sequence=sequence,
            owner=owner,
            source=f"#{sequence}",
            via=via,
            due=1 + number / 4,
            type=type,
            rests_on=("m1", "m2", "m1")[: number % 4],
            part="derived" if number % 5 == 0 else "message",
        )
        for number, (owner, via, type) in enumerate(
            (owner, via, type)
            for owner in ("alice", "bob")
            for via in (None, "m0", "m9")
            for type in ("message", "lore", "plot")
        )
    ]
