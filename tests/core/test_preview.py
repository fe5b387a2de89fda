"""A preview says who would learn a message and when, and who would not and why."""

from pathlib import Path

import pytest

from earwitness import Character, Earwitness, Share, SharingAnswer, SharingEvent
from earwitness.errors import InputError
from earwitness.records.stop import Stopped


class Rumour:
    """Each tells the next a day later; nobody tells Dora. It is told one hop at a time, but for a preview."""

    def __init__(self) -> None:
        self.asked: list[float | None] = []

    def share(self, event: SharingEvent) -> SharingAnswer:
        self.asked.append(event.ahead)
        chain, teller, day = ["alice", "bob", "charlie", "dora"], max(event.knowers), event.day
        hops = 1 if event.ahead is None else 1 + int(event.ahead)
        shares = []
        for _ in range(hops):
            listener = chain[chain.index(teller) + 1]
            if listener == "dora":
                break
            day += 1
            shares.append(Share(character=listener, shared_from=teller, rule="rumour", due=day))
            teller = listener
        stop = Stopped(character="dora", shared_from="charlie", rule="rumour", reason="nobody tells Dora")
        return SharingAnswer(shares=tuple(shares), stops=(stop,))


async def told(path: Path, days: float) -> str:
    async with Earwitness.open(path, sharing_rules=[Rumour()]) as ew:
        story = await ew.session("s1", cast=[Character(id) for id in ("alice", "bob", "charlie", "dora")])
        return str(await story.backstage().preview("alice", "I have found it.", audience=["alice"], days=days))


async def test_it_says_who_would_not_be_told_and_what_stopped_it(tmp_path: Path) -> None:
    shown = await told(tmp_path / "s.db", 0)
    assert shown.splitlines()[2:] == [
        "  bob: would learn it on day 2 (was told by alice; rumour)",
        "  dora: would not be told by charlie (rumour): nobody tells Dora",
    ]


async def test_of_whom_one_rule_tells_or_stops_another_does_not_say_that_no_rule_tells_them(tmp_path: Path) -> None:
    async with Earwitness.open(tmp_path / "s.db", sharing_rules=[Rumour()], relationships={}) as ew:
        story = await ew.session("s1", cast=["alice", "bob", "charlie", "dora"])
        shown = str(await story.backstage().preview("alice", "I have found it.", audience=["alice"]))
    assert shown.splitlines()[2:] == [
        "  bob: would learn it on day 2 (was told by alice; rumour)",
        "  charlie: would not be told: no rule tells them",
        "  dora: would not be told by charlie (rumour): nobody tells Dora",
    ]


async def test_it_plays_forward(tmp_path: Path) -> None:
    shown = await told(tmp_path / "s.db", 1)
    assert "  charlie: would learn it on day 3 (was told by bob; rumour)" in shown.splitlines()


async def test_only_a_preview_asks_how_it_goes_on(tmp_path: Path) -> None:
    rule = Rumour()
    async with Earwitness.open(tmp_path / "s.db", sharing_rules=[rule]) as ew:
        story = await ew.session("s1", cast=["alice", "bob", "charlie", "dora"])
        outcome = await story.say("alice", "I have found it.", audience=["alice"])
        await outcome.settled()
        await story.backstage().preview("alice", "I have found it.", days=2.5)
    assert rule.asked == [None, 2.5]


@pytest.mark.parametrize("days", [-1, float("nan"), float("inf"), "two", True])
async def test_days_that_are_no_number_of_days_are_refused(tmp_path: Path, days: float) -> None:
    async with Earwitness.open(tmp_path / "s.db") as ew:
        story = await ew.session("s1", cast=["alice"])
        with pytest.raises(InputError, match="days"):
            await story.backstage().preview("alice", "I have found it.", days=days)


class Coin:
    """Tells Bob what has one key."""

    def share(self, event: SharingEvent) -> SharingAnswer:
        lucky = event.message.message.key == "m7"
        return SharingAnswer(shares=(Share(character="bob", shared_from="alice", rule="coin"),) if lucky else ())


async def test_the_key_it_would_have_decides_coins(tmp_path: Path) -> None:
    async with Earwitness.open(tmp_path / "s.db", sharing_rules=[Coin()]) as ew:
        story = await ew.session("s1", cast=["alice", "bob"])
        preview = story.backstage().preview
        without, given = [await preview("alice", "Hm.", audience=["alice"], **more) for more in ({}, {"key": "m7"})]
        assert (without.message.key, given.message.key) == ("#2", "m7")
        assert ([each.owner for each in without.tellings], [each.owner for each in given.tellings]) == ([], ["bob"])
        with pytest.raises(InputError, match="key"):
            await preview("alice", "Hm.", key="")
