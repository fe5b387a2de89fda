"""Who is spoken to: `outcome.addressees`, with the default settings."""

import pytest

from earwitness import Earwitness
from earwitness.outcome import Settlement
from earwitness.records.message import Message, Participant, SettledMessage
from earwitness.rehearsal import Rehearsal
from earwitness.sync import Earwitness as SyncEarwitness
from earwitness_plugins.detectors.rules import RulesDetector

CAST = ["alice", "bob", "charlie", "dora"]


async def heard(story: object, speaker: str, text: str, **more: object) -> Settlement:
    outcome = await story.say(speaker, text, **more)  # type: ignore[attr-defined]
    return await outcome.settled()  # type: ignore[no-any-return]


async def test_the_outcome_says_who_is_called_by_name() -> None:
    async with Earwitness.open(":memory:") as ew:
        story = await ew.session("s1", cast=CAST, present=CAST)
        outcome = await story.say("alice", "Bob, have you seen my lantern?")
        assert (await outcome.settled()).addressees == outcome.addressees == ("bob",)


async def test_an_answer_is_for_the_one_who_asked() -> None:
    async with Earwitness.open(":memory:") as ew:
        story = await ew.session("s1", cast=CAST, present=CAST)
        await story.say("alice", "Charlie, where did you leave the boat?")
        assert (await heard(story, "charlie", "Under the willows.")).addressees == ("alice",)


async def test_everybody_who_hears_it_is_meant_by_all_of_you() -> None:
    async with Earwitness.open(":memory:") as ew:
        story = await ew.session("s1", cast=CAST, present=["alice", "bob", "charlie"])
        assert set((await heard(story, "alice", "Listen, all of you!")).addressees) == {"bob", "charlie"}


async def test_nobody_is_spoken_to_who_does_not_perceive_it() -> None:
    async with Earwitness.open(":memory:") as ew:
        story = await ew.session("s1", cast=CAST, present=["alice", "bob", "charlie"])
        await story.leave("bob")
        assert "bob" not in (await heard(story, "alice", "Bob, can you hear me out there?")).addressees


async def test_a_whisper_is_for_its_listener_and_a_thought_for_nobody() -> None:
    async with Earwitness.open(":memory:") as ew:
        story = await ew.session("s1", cast=CAST, present=CAST)
        assert (await heard(story, "alice", '*whispers to Dora* "Not a word."')).addressees == ("dora",)
        assert (await heard(story, "alice", "*thinks: Bob must never find out.*")).addressees == ()


async def test_the_host_s_only_listener_is_spoken_to() -> None:
    async with Earwitness.open(":memory:") as ew:
        story = await ew.session("s1", cast=CAST)
        assert (await heard(story, "alice", "It rains.", audience=["charlie"])).addressees == ("charlie",)


async def test_a_plan_keeps_who_is_spoken_to_in_branches_and_exports() -> None:
    async with Earwitness.open(":memory:") as ew:
        story = await ew.session("s1", cast=CAST, present=CAST)
        outcome = await story.say("alice", "Bob, have you seen my lantern?", key="m1")
        first = (await outcome.settled()).addressees
        branch = await story.fork("s2")
        (settled,) = [each for each in await branch.messages() if each.key == "m1"]
        assert settled.addressees == first
        again = await story.say("alice", "Bob, have you seen my lantern?", key="m1")
        assert (await again.settled()).addressees == first


async def test_a_plan_of_an_earlier_version_names_those_with_the_role() -> None:
    message = Message(key="m", sequence=1, speaker="a", content="x", game_day=1, scene="", timestamp="")
    parts = {
        "a": Participant(role="speaker", confidence=1),
        "b": Participant(role="addressee", confidence=0.6),
        "c": Participant(role="addressee", confidence=0.9),
        "d": Participant(role="present", confidence=0.9),
    }
    assert SettledMessage(message=message, participants=parts).addressees == ("c", "b")


async def test_a_preview_says_who_would_be_spoken_to() -> None:
    async with Earwitness.open(":memory:") as ew:
        story = await ew.session("s1", cast=CAST, present=CAST)
        assert (await story.backstage().preview("alice", "Dora, wake up!")).addressees == ("dora",)


def test_the_mirror_without_async_says_it_too() -> None:
    with SyncEarwitness.open(":memory:") as ew:
        story = ew.session("s1", cast=CAST, present=CAST)
        assert story.say("alice", "Bob, have you seen my lantern?").settled().addressees == ("bob",)


FRIENDS = ["mia", "joe", "paul"]


async def spoken_to_by_mia(text: str) -> tuple[str, ...]:
    """Her addressees, after every one of the friends said something; Paul was the last before her."""
    async with Earwitness.open(":memory:") as ew:
        story = await ew.session("s1", cast=FRIENDS, present=FRIENDS)
        for each in FRIENDS:
            await story.say(each, "I am in for Saturday.")
        return (await heard(story, "mia", text)).addressees


@pytest.mark.parametrize(
    "text",
    [
        "Awesome. Joe can you bring salad?",
        "joe bring salad",
        "lol joe",
        "Ok joe what do you think about Saturday",
        "super. joe bringst du salat mit?",
        "Joe kannst du das machen?",
        "génial. joe tu peux apporter la salade ?",
        "Joe viens avec nous",
        "genial. joe puedes traer la ensalada?",
        "joe você traz a salada?",
    ],
)
async def test_a_name_that_begins_a_sentence_is_called_also_without_a_comma(text: str) -> None:
    assert await spoken_to_by_mia(text) == ("joe",)


@pytest.mark.parametrize(
    "text",
    [
        "Joe brings salad.",
        "Joe made you look silly.",
        "Joe has your keys.",
        "Joe did you a favour.",
        "Joe and Zoe bring salad.",
        "Joe gibt ihr das Buch.",
    ],
)
async def test_who_is_only_told_of_at_the_beginning_of_a_sentence_is_not_called(text: str) -> None:
    assert await spoken_to_by_mia(text) == ("paul",)


@pytest.mark.parametrize(
    "text",
    [
        "*turns to Joe and Paul* Well?",
        "*waves at Joe and Paul* Over here!",
        "*nods to Paul, then asks Joe and Paul* And?",
    ],
)
async def test_all_whom_the_speaker_turns_to_are_spoken_to(text: str) -> None:
    async with Earwitness.open(":memory:") as ew:
        story = await ew.session("s1", cast=[*FRIENDS, "zoe"], present=[*FRIENDS, "zoe"])
        assert set((await heard(story, "mia", text)).addressees) == {"joe", "paul"}


async def test_nobody_speaks_to_somebody_hidden_unless_by_name() -> None:
    async with Earwitness.open(":memory:") as ew:
        story = await ew.session("s1", cast=FRIENDS, present=FRIENDS)
        await story.say("paul", "*hides behind the curtain*")
        assert (await heard(story, "mia", '"Do you think it will rain?"')).addressees == ("joe",)
        assert (await heard(story, "mia", '"Paul, I can see your boots."')).addressees == ("paul",)


@pytest.mark.parametrize(
    "text", ["I asked Joe about the key yesterday.", "He told Joe to shut up.", '"She turned to Joe, and smiled."']
)
async def test_talk_of_whom_somebody_turned_to_is_for_whoever_spoke_last(text: str) -> None:
    assert await spoken_to_by_mia(text) == ("paul",)


@pytest.mark.parametrize(
    "text",
    ["Hey everyone except Joe, party!", "All of you except Joe: go!", "Everyone but Joe, listen!", "Not you, Joe."],
)
async def test_whoever_is_named_as_left_out_is_not_spoken_to(text: str) -> None:
    async with Earwitness.open(":memory:") as ew:
        story = await ew.session("s1", cast=FRIENDS, present=FRIENDS)
        for each in ("paul", "joe"):
            await story.say(each, "I am in for Saturday.")
        assert (await heard(story, "mia", text)).addressees == ("paul",)


async def test_the_equally_certain_stand_in_the_same_order_in_every_process() -> None:
    rehearsal = Rehearsal(RulesDetector(), (cast := ["Ann", "Ben", "Cid", "Dora", "Eve", "Finn", "Gil"]), present=cast)
    found = await rehearsal.tell("Ann", "Gil, Ben, Finn, Cid, Eve and Dora, come here!")
    assert found.presence.addressees == tuple(each for each in found.presence.characters if each != "Ann")
    assert len(found.presence.addressees) == len(cast) - 1
