"""What cannot be kept, or not be read again, is refused where it is handed in; no story stands still over it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import pytest

from earwitness import (
    Earwitness,
    MessageAnswer,
    MessageEvent,
    Moment,
    Plan,
    Plugin,
    Presence,
    ReadEvent,
    Session,
)
from earwitness.consultation import unkeepable
from earwitness.errors import InputError, StoryError
from earwitness.events import PlanEvent, Share, SharingEvent
from earwitness.filters import Filter
from earwitness.records.moment import Perceived
from earwitness.testing.reference import MemoryLedger

Begin = Callable[..., Awaitable[Session]]
Open = Callable[..., Awaitable[Earwitness]]


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth - 1):
        value = [value]
    return value


@pytest.mark.parametrize("day", [1e19, 2**63 - 1, 2**53 + 2, -1e300])
async def test_a_day_beyond_all_counting_is_refused_naming_the_bound(begin: Begin, day: float) -> None:
    story = await begin()
    for attempt in (story.change, lambda **state: begin("s2", state=state)):
        with pytest.raises(InputError, match=r"game_day = .* at (most|least) -?9007199254740992"):
            await attempt(game_day=day)
    assert (await (await story.say("alice", "Hello.")).settled()).failures == ()


@pytest.mark.parametrize("depth", [150, 205, 240, 300, 5000])
async def test_what_is_nested_too_deep_is_refused_in_a_sentence(begin: Begin, depth: int) -> None:
    story = await begin()
    attempts: list[Callable[[], Awaitable[Any]]] = [
        lambda: story.change(foo=nested(depth)),
        lambda: story.change(flags={"foo": nested(depth)}),
        lambda: story.say("alice", "Hello.", metadata={"foo": nested(depth)}),
        lambda: story.update("It rains", foo=nested(depth)),
        lambda: begin("s2", state={"foo": nested(depth)}),
    ]
    for attempt in attempts:
        with pytest.raises(InputError, match="nested at most 100 deep") as refusal:
            await attempt()
        assert len(str(refusal.value)) < 400
    await (await story.change(foo=nested(100), flags={"foo": nested(99)})).settled()
    assert story.state.model_extra == {"foo": nested(100)}


async def test_an_export_nested_too_deep_is_refused_naming_its_line(open_app: Open) -> None:
    ew = await open_app()
    story = await ew.session("s1", cast=["alice"])
    await (await story.say("alice", "Hello.")).settled()
    lines = [line async for line in story.backstage().export()]
    lines[2]["entry"]["body"]["metadata"] = {"foo": nested(180)}
    with pytest.raises(StoryError, match=r"line 3.*nested at most 100 deep"):
        await ew.import_session(lines, id="copy")


class Deep(Plugin):
    """Keeps what cannot be read again, and says whether it was told so."""

    def __init__(self, depth: int) -> None:
        self.depth = depth

    def on_message(self, event: MessageEvent) -> MessageAnswer:
        event.data["kept"] = nested(self.depth)
        return MessageAnswer(add={"bob": "I say so"})


@pytest.mark.parametrize("depth", [180, 205, 5000])
async def test_plugin_data_nested_too_deep_is_that_plugins_failure(begin: Begin, depth: int) -> None:
    story = await begin(plugins=[Deep(depth)], strict=False)
    settled = await (await story.say("alice", "Hello.")).settled()
    assert [each.by for each in settled.failures] == ["plugin:deep"]
    assert "nested at most 100 deep" in str(settled.failures[0].failure)


async def test_a_ledger_that_cannot_count_so_far_settles_the_entry_fail_closed(begin: Begin) -> None:
    class Narrow(MemoryLedger):
        async def record(self, plan: Plan, after: Any) -> Plan:
            if plan.state and not plan.degraded and plan.sequence > 1:
                raise OverflowError("int too big to convert")
            return await super().record(plan, after)

    story = await begin(ledger=Narrow())
    settled = await (await story.change(gold=4)).settled()
    assert "OverflowError: int too big to convert" in str(settled.failures[0].failure)
    assert (await (await story.say("alice", "Hello.", audience=["bob"])).settled()).degraded


# ── failures that cannot be shown ───────────────────────────────────────────────────────────────────────────────────


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


ODD: list[Exception] = [ValueError("bad \ud83d"), Unspeakable()]


class Raising:
    """A detector, World Agent, rule and guard that fails in an odd way."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def detect(self, moment: Moment) -> Presence:
        raise self.error

    def propose(self, *asked: object) -> Any:
        raise self.error

    def share(self, event: SharingEvent) -> Iterable[Share]:
        yield Share(character="charlie")
        raise self.error

    def filter(self, event: ReadEvent) -> Filter:
        raise self.error

    def strike(self, event: PlanEvent) -> Any:
        raise self.error


class Breaks(Plugin):
    def __init__(self, error: Exception) -> None:
        self.error = error

    def on_message(self, event: MessageEvent) -> MessageAnswer:
        raise self.error


class Adds(Plugin):
    def on_message(self, event: MessageEvent) -> MessageAnswer:
        return MessageAnswer(add={"charlie": "I say so"})


@pytest.mark.parametrize("error", ODD)
async def test_an_error_that_cannot_be_shown_is_named_and_the_others_answers_stand(
    begin: Begin, error: Exception
) -> None:
    story = await begin(plugins=[Breaks(error), Adds()], strict=False)
    settled = await (await story.say("alice", "Hello.")).settled()
    assert [(each.by, str(each.failure).split(":")[0]) for each in settled.failures] == [
        ("plugin:breaks", type(error).__name__)
    ]
    assert set(settled.participants) == {"alice", "charlie"}
    certain = await (await story.say("alice", "Bob!", audience=["bob"])).settled()
    assert set(certain.participants) == {"alice", "bob"}


@pytest.mark.parametrize("error", ODD)
@pytest.mark.parametrize("kind", ["detector", "world_agent", "sharing_rules", "guards"])
async def test_so_is_a_strategys_and_the_hosts_word_stands(begin: Begin, kind: str, error: Exception) -> None:
    given = [Raising(error)] if kind.endswith("s") else Raising(error)
    story = await begin(strict=False, **{kind: given})
    settled = await (await story.say("alice", "Hello.", audience=["bob"])).settled()
    assert [(each.by, str(each.failure).split(":")[0]) for each in settled.failures] == [
        (f"{kind.removesuffix('s')}:raising", type(error).__name__)
    ]
    assert list(settled.participants) == ["alice", "bob"]


THOUSANDS = {f"listener-{number:04}": Perceived(probability=0.9, role="present") for number in range(1_000)}
HALF_AN_EMOJI = Perceived.model_construct(probability=0.9, role="present", evidence=("\ud83d",))
NO_ROLE = Perceived.model_construct(probability=0.9, role="ghost", evidence=())


@pytest.mark.parametrize(
    ("id", "who"),
    [
        ("listener-0999", HALF_AN_EMOJI),
        ("listener-0500", NO_ROLE),
        ("\ud83d", THOUSANDS["listener-0001"]),
        (7, NO_ROLE),
    ],
)
def test_one_answer_among_a_thousand_that_cannot_be_kept_is_found(id: Any, who: Perceived) -> None:
    alike = dict.fromkeys(THOUSANDS, THOUSANDS["listener-0000"])
    for others in (THOUSANDS, alike):
        assert unkeepable(Presence(characters=others)) is None
        assert "cannot be recorded" in (unkeepable(Presence.model_construct(characters={**others, id: who})) or "")
