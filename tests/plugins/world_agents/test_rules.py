"""The World Agent `rules`: each participant is told what happened since, once, oldest first."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from earwitness import Character, Earwitness, Settings, Support
from earwitness.events import WorldAgentEvent, WorldAnswer
from earwitness.filters import EVERYTHING, Filter
from earwitness.loading.end_settings import EndSettings
from earwitness.records.character import as_cast
from earwitness.records.disguise import earlier_casts
from earwitness.records.memory import Hit
from earwitness.records.message import Message, Participant, SettledMessage
from earwitness.records.moment import Moment, Perceived, Presence
from earwitness.records.plan import Delivery
from earwitness.records.state import State
from earwitness_plugins.world_agents.rules import RulesWorldAgent

CAST = as_cast(["alice", "bob", "charlie", Character("narrator", kind="narrator")])


@dataclass
class News:
    """A world with news for some; remembers who was asked for."""

    told: dict[str, Sequence[str]]
    asked: list[str] = field(default_factory=list)

    async def news(self, character: str) -> Sequence[Delivery]:
        self.asked.append(character)
        return [
            Delivery(
                session="s1",
                sequence=at,
                memory_id=f"memory{at}",
                container="s1-world",
                owner="world",
                source=f"#{at}",
                body=body,
                support=Support(learned_day=1),
                due=1,
            )
            for at, body in enumerate(self.told.get(character, ()), start=1)
        ]

    async def with_news(self, characters: Iterable[str]) -> Sequence[str]:
        return list(characters)

    async def updates(self, character: str) -> Sequence[Delivery]:
        raise AssertionError("nobody has done anything to a thing")

    async def messages(self, character: str, among: Sequence[Message]) -> Sequence[Delivery]:
        raise AssertionError("nobody has done anything to anybody")

    async def search(self, query: str, *, filter: Filter = EVERYTHING, limit: int = 10) -> Sequence[Hit]:
        raise AssertionError("the rules search nothing")


def moment(speaker: str = "alice", audience: Iterable[str] | None = None) -> Moment:
    message = Message(
        key="m",
        sequence=9,
        speaker=speaker,
        content="Hello.",
        game_day=6,
        scene="dragon_lair",
        audience=None if audience is None else tuple(audience),
        timestamp="2026-01-01T12:00:00Z",
    )
    return Moment(message=message, cast=CAST, state=State())


async def propose(agent: RulesWorldAgent, told: Moment, believed: Presence, world: News) -> WorldAnswer:
    about = {"session": "s1", "cast": told.cast, "state": told.state, "day": told.day}
    return await agent.propose(WorldAgentEvent(**about, moment=told, presence=believed, world=world))


def presence(**probabilities: float) -> Presence:
    return Presence(characters={id: Perceived(probability=p, role="present") for id, p in probabilities.items()})


async def test_each_participant_is_told_their_own_news_citing_the_memories() -> None:
    world = News({"alice": ["The party moved. GameDay: 6", "It rains. GameDay: 6"], "bob": ["It rains. GameDay: 6"]})
    answer = await propose(RulesWorldAgent(), moment(), presence(alice=1, bob=0.9), world)
    told = {id: [(line.text, line.cites) for line in lines] for id, lines in answer.knowledge.items()}
    assert told == {
        "alice": [("The party moved. GameDay: 6", ("memory1",)), ("It rains. GameDay: 6", ("memory2",))],
        "bob": [("It rains. GameDay: 6", ("memory1",))],
    }


async def test_who_took_part_is_left_to_the_detector_and_nothing_is_invented() -> None:
    answer = await propose(RulesWorldAgent(), moment(), presence(alice=1), News({}))
    assert (answer.participants, answer.knowledge, answer.updates) == (None, {}, ())


async def test_who_likely_is_not_there_is_not_even_asked_for() -> None:
    world = News({"charlie": ["A secret. GameDay: 6"]})
    answer = await propose(RulesWorldAgent(), moment(), presence(alice=1, bob=0.5, charlie=0.1), world)
    assert answer.knowledge == {}
    assert world.asked == ["alice", "bob"]


async def test_who_may_take_part_is_what_the_settings_of_end_say(tmp_path: Path) -> None:
    here = presence(alice=1, bob=0.4)
    for end, told in (
        ({"threshold": 0.4}, True),
        ({"unsure": "deliver"}, True),
        ({"unsure": "ask"}, True),
        ({}, False),
    ):
        agent = RulesWorldAgent(end=EndSettings.model_validate(end))
        answer = await propose(agent, moment(), here, News({"bob": ["It rains. GameDay: 6"]}))
        assert ("bob" in answer.knowledge) is told, end
    async with Earwitness.open(tmp_path / "story.db", detector="everyone", end={"threshold": 0.3}) as ew:
        assert ew.engine.world_agent is not None
        agent = ew.engine.world_agent.made
        assert isinstance(agent, RulesWorldAgent)
        assert agent.end.threshold == 0.3


async def test_the_hosts_word_on_who_perceives_it_counts_for_more() -> None:
    world = News({"bob": ["It rains. GameDay: 6"], "charlie": ["It rains. GameDay: 6"]})
    answer = await propose(RulesWorldAgent(), moment(audience=["alice", "charlie"]), presence(alice=1, bob=0.9), world)
    assert set(answer.knowledge) == {"charlie"}


async def test_a_narrator_and_strangers_are_told_nothing() -> None:
    world = News({"narrator": ["It rains. GameDay: 6"], "zorro": ["It rains. GameDay: 6"]})
    answer = await propose(RulesWorldAgent(), moment("narrator"), presence(narrator=1, zorro=1), world)
    assert answer.knowledge == {}


async def test_at_most_so_many_lines_the_oldest_first() -> None:
    world = News({"alice": [f"Event {n}. GameDay: 6" for n in range(1, 6)]})
    answer = await propose(RulesWorldAgent(most=2), moment(), presence(alice=1), world)
    assert [line.text for line in answer.knowledge["alice"]] == ["Event 1. GameDay: 6", "Event 2. GameDay: 6"]


async def test_each_piece_of_news_is_one_line() -> None:
    world = News({"alice": ["The bell\ntolls. GameDay: 6"]})
    answer = await propose(RulesWorldAgent(), moment(), presence(alice=1), world)
    assert answer.knowledge["alice"][0].text == "The bell tolls. GameDay: 6"


async def test_more_news_than_fit_are_told_with_the_next_messages_and_none_twice(tmp_path: Path) -> None:
    settings = Settings.of(path=str(tmp_path / "story.db"), world_agent={"name": "rules", "most": 2}, strict=True)
    told: list[str] = []
    async with Earwitness.open(settings=settings) as ew:
        story = await ew.session("s1", cast=["alice", "bob"], present=["alice", "bob"])
        for bell in range(1, 6):
            await story.update(f"Bell {bell} tolls")
        for text in ("One.", "Two.", "Three.", "Four."):
            outcome = await (await story.say("alice", text)).settled()
            told += outcome.knowledge.get("bob", ())
    assert told == [f"Bell {bell} tolls. GameDay: 1" for bell in range(1, 6)]


MASKED = [("the Fox", None, "the Fox"), (None, "the Fox", "Alice"), ("the Fox", "the Wolf", "the Fox")]


@pytest.mark.parametrize(("then", "later", "told"), MASKED)
async def test_a_deed_is_told_under_the_names_worn_when_it_was_done(
    tmp_path: Path, then: str | None, later: str | None, told: str
) -> None:
    async with Earwitness.open(tmp_path / "s.db", world_agent={"name": "rules"}) as ew:
        story = await ew.session("s1", cast=["alice", "bob", "charlie"], present=["alice", "bob", "charlie"])
        await story.say("alice", "*slaps Bob*", speak_as=then)
        outcome = await (await story.say("alice", "Well, well.", speak_as=later)).settled()
        assert outcome.knowledge["bob"] == (f"{told} slapped Bob. GameDay: 1",)


@pytest.mark.parametrize(("then", "later", "told"), MASKED)
async def test_what_is_done_to_somebody_is_told_under_the_name_worn_then(
    tmp_path: Path, then: str | None, later: str | None, told: str
) -> None:
    async with Earwitness.open(tmp_path / "s.db", world_agent={"name": "rules"}) as ew:
        story = await ew.session("s1", cast=["alice", "bob", "charlie"], present=["alice", "bob", "charlie"])
        await story.say("alice", "Good evening.", speak_as=then)
        await story.say("bob", f"*hugs {told}*")
        outcome = await (await story.say("alice", "Well, well.", speak_as=later)).settled()
        assert any(line.startswith(f"Bob hugged {told}.") for line in outcome.knowledge["alice"])


async def test_no_deed_is_told_of_somebody_who_may_have_been_in_disguise_for_all_that_is_known() -> None:
    seen = {"bob": Participant(role="present", confidence=1)}
    told = [("bob", "*slaps Alice*"), ("alice", "Good evening.")]
    messages = [
        Message(key=f"#{at}", sequence=at, speaker=id, content=text, game_day=1, scene="start", timestamp="")
        for at, (id, text) in enumerate(told, start=1)
    ]
    settled = [SettledMessage(message=each, participants=seen) for each in messages]
    casts = earlier_casts(CAST, settled, ["alice"], {}, {})
    assert [(key, "alice" in cast) for key, cast in casts.items()] == [("#1", False)]
