"""What was heard from Monsieur Roux is his until it is known who he is: to those who learned it, and to nobody else."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from earwitness import Character, Earwitness, Plugin, RecallAnswer, RecallEvent, Session
from earwitness.errors import InputError, NotPermitted, UnknownName
from earwitness.events import (
    Event,
    MessageEvent,
    PlanEvent,
    ReadEvent,
    Share,
    SharingEvent,
    StateChangeEvent,
    Strike,
    WorldAgentEvent,
    WorldAnswer,
)
from earwitness.filters import EVERYTHING, Compare, Filter

Begin = Callable[..., Awaitable[Session]]
MILL = "I have bought the old mill."
ROUX = "Monsieur Roux"
CAST = (Character("count", name="Count Fosco"), Character("bob"), Character("charlie"), Character("dana"))
HERE = ("count", "bob", "charlie")


@pytest.fixture
async def story(tmp_path: Path) -> AsyncIterator[Session]:
    """The count, known as Roux to Bob and Charlie, says that he has bought the mill; Bob answers."""
    async with Earwitness.open(tmp_path / "s.db", strict=True) as ew:
        story = await ew.session("s1", cast=CAST, present=HERE)
        await story.say("count", MILL, key="m1", speak_as=ROUX)
        await story.say("bob", "Good evening.", key="m2")
        yield story


async def shown(story: Session, character: str) -> str:
    """Everything that this character's turns show: prompts, queries, memories with ids and metadata."""
    about = await story.turn(character, query="the old mill", in_prompt=[])
    now = await story.turn(character)
    turns = "".join(f"{each.text()}{each.query}{each.notes}" for each in (about, now))
    held = (await story.backstage().inspect(character)).memories
    dumped = [each.model_dump_json() for each in (*about.memories, *now.memories, *held)]
    return turns + "".join(dumped)


def leaks(said: str) -> bool:
    return any(name in said.casefold() for name in ("fosco", '"count"', "count "))


async def knows(story: Session, question: str = "bought the old mill") -> dict[str, str]:
    found = await story.backstage().who_knows(question)
    return {id: str(knower).partition(": ")[2] for id, knower in found.knowers.items()}


async def test_before_he_is_unmasked_nobody_is_shown_who_he_is(story: Session) -> None:
    assert not leaks(await shown(story, "bob"))
    assert not leaks(await shown(story, "charlie"))
    assert "Message: Monsieur Roux: I have bought the old mill." in await shown(story, "bob")
    assert await knows(story) == {
        "count": "said it on day 1",
        "bob": "heard it from Monsieur Roux on day 1",
        "charlie": "heard it from Monsieur Roux on day 1",
        "dana": "nothing found",
    }


async def test_he_remembers_himself_with_both_names(story: Session) -> None:
    assert "Message: Count Fosco (as Monsieur Roux): I have bought" in await shown(story, "count")


async def test_metadata_name_the_mask_also_of_what_others_said_to_him(story: Session) -> None:
    for memory in (await story.backstage().inspect("bob")).memories:
        assert set(memory.metadata["participants"]) == {ROUX, "bob", "charlie"}  # type: ignore[arg-type]
    (own,) = [each for each in (await story.backstage().inspect("bob")).memories if each.message_keys == ("m1",)]
    assert own.metadata["speaker"] == ROUX
    assert "speakAs" not in own.metadata


async def test_those_who_learn_it_see_who_he_was_and_the_others_do_not(story: Session) -> None:
    await story.unmask("count", audience=["bob"])
    assert "Message: Count Fosco (as Monsieur Roux): I have bought" in await shown(story, "bob")
    assert not leaks(await shown(story, "charlie"))
    assert (await knows(story))["bob"] == "heard it from count on day 1"
    assert (await knows(story))["charlie"] == "heard it from Monsieur Roux on day 1"
    assert await knows(story, "Monsieur Roux is Count Fosco") == {
        "count": "saw it happen on day 1",
        "bob": "saw it happen on day 1",
        "charlie": "nothing found",
        "dana": "nothing found",
    }
    (m1,) = [each for each in (await story.backstage().inspect("bob")).memories if each.message_keys == ("m1",)]
    assert (m1.metadata["speaker"], m1.metadata["speakAs"]) == ("count", ROUX)


async def test_what_he_says_later_is_known_as_his_to_those_who_know(story: Session) -> None:
    await story.unmask(ROUX, audience=["bob"])
    await story.say("count", "The mill will burn.", speak_as=ROUX)
    known = await knows(story, "The mill will burn")
    assert (known["bob"], known["charlie"]) == ("heard it from count on day 1", "heard it from Monsieur Roux on day 1")


async def test_he_is_unmasked_before_those_present_unless_somebody_says_otherwise(story: Session) -> None:
    await story.leave("charlie")
    await story.unmask("count")
    assert leaks(await shown(story, "bob"))
    assert not leaks(await shown(story, "charlie"))


async def test_once_it_is_public_newcomers_know_it_too(story: Session) -> None:
    await story.unmask("count", audience="public")
    await story.join("erin")
    await story.tell("bob", "erin", "m1")
    assert (await knows(story))["dana"] == "nothing found"
    assert "Count Fosco (as Monsieur Roux)" in await shown(story, "erin")


async def test_bob_retells_it_as_he_knew_it(story: Session) -> None:
    await story.tell("bob", "dana", "m1")
    assert "Message: Monsieur Roux: I have bought" in await shown(story, "dana")
    assert not leaks(await shown(story, "dana"))
    await story.unmask("count", audience=["bob"])
    assert not leaks(await shown(story, "dana"))


async def test_what_he_tells_in_disguise_is_known_from_the_mask(story: Session) -> None:
    await story.remember("count", "The bridge is mined.", key="n")
    await story.tell("count", "dana", "n")
    assert (await knows(story, "the bridge is mined"))["dana"] == "was told by Monsieur Roux on day 1"
    assert not leaks(await shown(story, "dana"))


async def test_retracting_the_unmasking_hides_him_again_also_in_what_was_said_since(story: Session) -> None:
    await story.unmask("count", audience=["bob"], key="u")
    await story.say("count", "The mill will burn.", speak_as=ROUX)
    await story.retract("u")
    assert not leaks(await shown(story, "bob"))
    assert (await knows(story, "The mill will burn"))["bob"] == "heard it from Monsieur Roux on day 1"
    await story.unmask("count", audience=["bob"])
    assert "Count Fosco (as Monsieur Roux): The mill will burn." in await shown(story, "bob")


async def test_a_retracted_message_stays_away_when_he_is_unmasked(story: Session) -> None:
    await story.unmask("count", audience=["bob"], key="u")
    await story.retract("m1")
    await story.retract("u")
    assert set((await knows(story)).values()) == {"nothing found"}


async def test_an_edit_keeps_the_disguise(story: Session) -> None:
    await story.edit("m1", "I have bought the old mill, and the river.")
    assert "Message: Monsieur Roux: I have bought the old mill, and the river." in await shown(story, "bob")
    assert not leaks(await shown(story, "bob"))


async def test_a_branch_from_before_does_not_know_and_a_copy_does(story: Session, tmp_path: Path) -> None:
    await story.unmask("count", audience=["bob"])
    early = await story.fork("early", at="m2")
    assert not leaks(await shown(early, "bob"))
    late = await story.fork("late")
    assert (await knows(late))["bob"] == "heard it from count on day 1"
    lines = [line async for line in story.backstage().export()]
    async with Earwitness.open(tmp_path / "other.db") as other:
        copy = await other.import_session(lines, id="copy")
        assert await knows(copy) == await knows(story)
        await copy.unmask("count", audience=["charlie"])
        assert (await knows(copy))["charlie"] == "heard it from count on day 1"


async def test_the_same_again_changes_nothing(story: Session) -> None:
    again = await story.say("count", MILL, key="m1", speak_as=ROUX)
    assert not again.created
    first = await story.unmask("count", ROUX, audience=["bob"], key="u")
    assert first.created
    assert not (await story.unmask("count", ROUX, audience=["bob"], key="u")).created


async def test_a_story_opened_again_goes_on_in_disguise(tmp_path: Path) -> None:
    async with Earwitness.open(tmp_path / "s.db") as ew:
        story = await ew.session("s1", cast=CAST, present=HERE)
        await story.say("count", MILL, key="m1", speak_as=ROUX)
        await story.settled()
    async with Earwitness.open(tmp_path / "s.db") as ew:
        story = await ew.session("s1")
        await story.say("bob", "Who are you?")
        assert not leaks(await shown(story, "bob"))
        await story.unmask("count", audience=["bob"])
        assert leaks(await shown(story, "bob"))


async def test_he_is_addressed_by_the_name_they_know(story: Session) -> None:
    whisper = await story.say("bob", '*whispers to Monsieur Roux* "The bridge is mined."')
    assert set((await whisper.settled()).participants) == {"bob", "count"}
    assert not leaks(await shown(story, "bob"))


async def test_what_he_does_in_disguise_is_told_of_the_mask(story: Session) -> None:
    await story.say("count", "*takes the Sacred Sword* Mine!", speak_as=ROUX)
    await story.say("bob", "Did you see that?")
    await story.say("charlie", "I did.")
    said = await shown(story, "bob")
    assert "Monsieur Roux" in said
    assert not leaks(said)


async def test_speaking_under_his_own_name_he_is_himself(story: Session) -> None:
    await story.say("count", "I am back from Rome.")
    assert "Message: Count Fosco: I am back from Rome." in await shown(story, "bob")


async def test_a_preview_shows_the_mask(story: Session) -> None:
    found = await story.backstage().preview("count", "Good night.", speak_as=ROUX)
    (his,) = [each for each in found.deliveries if each.owner == "bob"]
    assert "Message: Monsieur Roux: Good night." in his.body


async def test_explain_shows_the_name_they_knew(story: Session) -> None:
    (memory,) = [each for each in (await story.backstage().inspect("bob")).memories if each.message_keys == ("m1",)]
    said = str(await story.backstage().explain(memory.id))
    assert said.startswith("bob remembers what Monsieur Roux said on day 1 (message 2, key 'm1')")
    assert not leaks(said)


async def test_names_that_cannot_be_worn_are_refused(story: Session) -> None:
    with pytest.raises(InputError, match="speak_as = 'Bob' is a name of bob"):
        await story.say("count", "Hello.", speak_as="Bob")
    with pytest.raises(InputError, match="empty"):
        await story.say("count", "Hello.", speak_as=" ")
    with pytest.raises(UnknownName, match="'bob' has not spoken in disguise: there is nothing to unmask"):
        await story.unmask("bob")
    with pytest.raises(UnknownName, match="Known: Monsieur Roux"):
        await story.unmask("count", "Roux")
    own = await (await story.say("count", "Hello.", speak_as="Count Fosco")).settled()
    assert own.message is not None
    assert own.message.speak_as is None


async def test_the_history_that_bob_heard_names_the_mask(story: Session) -> None:
    heard = await story.messages(heard_by="bob")
    assert [each.message.speaker for each in heard] == [ROUX, "bob"]
    assert not leaks("".join(each.model_dump_json() for each in heard))
    await story.unmask("count", audience=["bob"])
    first, _ = await story.messages(heard_by="bob")
    assert (first.message.speaker, first.message.speak_as) == ("count", ROUX)


async def test_a_macro_for_his_name_stands_for_the_mask(story: Session) -> None:
    await story.say("count", "*{{char}} bows.*", key="m3", speak_as=ROUX)
    assert "*Monsieur Roux bows.*" in await shown(story, "bob")
    await story.edit("m3", "*{{char}} bows deeply.*")
    assert "*Monsieur Roux bows deeply.*" in await shown(story, "bob")
    await story.join(Character("count", name="Count Fosco di Roma"))
    assert not leaks(await shown(story, "bob"))


class NotCharlie:
    """A guard that keeps everything from Charlie."""

    def filter(self, event: ReadEvent) -> Filter:
        return EVERYTHING

    def strike(self, event: PlanEvent) -> Iterable[Strike]:
        his = [each for each in event.plan.deliveries if each.owner == "charlie"]
        return [Strike(delivery_id=each.id, reason="too young") for each in his]


async def test_a_guard_that_strikes_copies_reveals_nobody(begin: Begin) -> None:
    story = await begin(cast=CAST, present=HERE, guards=[NotCharlie()])
    await story.say("count", MILL, speak_as=ROUX, audience=HERE)
    (memory,) = (await story.backstage().inspect("bob")).memories
    assert memory.metadata["participants"] == [ROUX, "bob"]
    assert not leaks(await shown(story, "bob"))


class Listener(Plugin):
    """Keeps what recall shows to plugins."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def on_recall(self, event: RecallEvent) -> RecallAnswer | None:
        self.seen.append(event.query + "".join(hit.model_dump_json() for hit in event.memories))
        return None


class Casts(Plugin):
    """Keeps by which name each hook knows the count. It is a plugin, World Agent, guard and sharing rule in one."""

    def __init__(self) -> None:
        self.names: dict[str, set[str]] = {}

    def _note(self, hook: str, event: Event) -> None:
        self.names.setdefault(hook, set()).add(event.cast["count"].name)

    async def propose(self, event: WorldAgentEvent) -> WorldAnswer:
        self._note("propose", event)
        return WorldAnswer()

    def on_message(self, event: MessageEvent) -> None:
        self._note("on_message", event)

    def on_recall(self, event: RecallEvent) -> None:
        self._note("on_recall", event)

    def on_state_change(self, event: StateChangeEvent) -> None:
        self._note("on_state_change", event)

    def share(self, event: SharingEvent) -> Iterable[Share]:
        self._note("share" if event.moment else "share later", event)
        yield Share(character="dana", shared_from="bob", rule="bob talks", due=event.day + 1)

    def filter(self, event: ReadEvent) -> Filter:
        self._note("filter", event)
        return EVERYTHING

    def strike(self, event: PlanEvent) -> Iterable[Strike]:
        self._note("strike" if event.plan.presence else "strike later", event)
        return ()


async def test_while_a_message_is_settled_the_cast_goes_by_the_mask_and_everywhere_else_by_its_own_names(
    begin: Begin,
) -> None:
    casts = Casts()
    also = {"plugins": [casts], "world_agent": casts, "guards": [casts], "sharing_rules": [casts]}
    story = await begin(cast=CAST, present=HERE, **also)
    await story.say("count", MILL, speak_as=ROUX, audience=HERE)
    await story.turn("bob", query="the old mill", in_prompt=[])
    await story.change(game_day=2)
    await story.settled()
    masked, own = {ROUX}, {"Count Fosco"}
    during = dict.fromkeys(("propose", "on_message", "share", "strike"), masked)
    apart = dict.fromkeys(("on_recall", "on_state_change", "share later", "strike later", "filter"), own)
    assert casts.names == {**during, **apart}


class Gossip:
    """Whatever Bob hears, Dana hears from him a day later."""

    def share(self, event: SharingEvent) -> Iterable[Share]:
        if "bob" in event.message.participants:
            yield Share(character="dana", shared_from="bob", rule="bob talks", due=event.day + 1)


async def test_neither_plugins_of_recall_nor_gossip_learn_it(begin: Begin) -> None:
    listener = Listener()
    story = await begin(cast=CAST, present=HERE, plugins=[listener], sharing_rules=[Gossip()])
    await story.say("count", MILL, speak_as=ROUX, audience=HERE)
    await story.change(game_day=2, audience=[])
    for who in ("bob", "charlie", "dana"):
        assert not leaks(await shown(story, who))
    assert listener.seen
    assert not any(map(leaks, listener.seen))
    assert (await knows(story))["dana"] == "was told by bob on day 2"


async def test_told_many_at_once_in_a_transcript(begin: Begin) -> None:
    story = await begin(cast=CAST, present=HERE)
    told: list[dict[str, Any]] = [{"speaker": "count", "content": MILL, "speak_as": ROUX, "audience": HERE}]
    await story.say_all(told)
    assert not leaks(await shown(story, "bob"))


IDENTITY = ("Monsieur Roux is Count Fosco", "Roux is Fosco", "Count Fosco is Monsieur Roux", "Is Roux the Count?")


@pytest.mark.parametrize("question", IDENTITY)
async def test_who_he_is_is_known_to_those_unmasked_to_alone_though_he_spoke_of_himself(
    story: Session, question: str
) -> None:
    await story.say("count", "I have never met the Count Fosco.", key="m3", speak_as=ROUX)
    await story.say("dana", "Monsieur Roux asked me about Count Fosco.", audience=["charlie"])
    before = await knows(story, question)
    assert {id for id, known in before.items() if known != "nothing found"} <= {"count"}
    await story.unmask("count", audience=["bob"])
    after = await knows(story, question)
    assert after == dict(before, count="saw it happen on day 1", bob="saw it happen on day 1")
    bob = (await story.backstage().who_knows(question)).knowers["bob"]
    assert bob.text == "Monsieur Roux is Count Fosco. GameDay: 1"


async def test_who_he_is_is_known_in_whatever_words_he_was_unmasked(story: Session) -> None:
    await story.unmask("count", audience=["bob"], description="He takes off his mask")
    bob = (await story.backstage().who_knows("Roux is Fosco")).knowers["bob"]
    assert (bob.knows, bob.text) == (True, "He takes off his mask. GameDay: 1")


async def test_who_was_told_in_words_who_he_is_knows_it_and_who_was_told_the_contrary_does_not(story: Session) -> None:
    await story.say("bob", "Listen: Monsieur Roux is really the Count Fosco!", audience=["dana"])
    await story.say("bob", "Monsieur Roux is not Count Fosco.", audience=["charlie"])
    known = await knows(story, "Roux is Fosco")
    assert known["dana"] == "heard it from bob on day 1"
    assert known["charlie"] == "heard the contrary from bob on day 1"


async def test_what_the_mask_did_is_not_known_of_the_count(story: Session) -> None:
    await story.say("count", "I have never met the Count Fosco.", speak_as=ROUX)
    await story.unmask("count", audience=["bob"])
    known = await knows(story, "Count Fosco bought the old mill")
    assert known["charlie"] == "nothing found"
    assert known["bob"] == "heard it from count on day 1"
    assert (await knows(story, "Monsieur Roux bought the old mill"))[
        "charlie"
    ] == "heard it from Monsieur Roux on day 1"


async def test_what_the_mask_said_of_the_count_by_name_is_known(story: Session) -> None:
    await story.say("count", "Count Fosco has sold his old castle.", speak_as=ROUX)
    assert (await knows(story, "Count Fosco sold the castle"))["charlie"] == "heard it from Monsieur Roux on day 1"


@pytest.mark.parametrize("told", ["Count Fosco bought the old mill.", "The Count bought the old mill."])
async def test_what_he_said_in_disguise_counts_when_others_say_it_by_his_name(story: Session, told: str) -> None:
    await story.unmask("count", audience=["bob"])
    await story.say("bob", told, audience=["dana"])
    assert await knows(story, "Count Fosco bought the old mill") == {
        "count": "said it on day 1",
        "bob": "heard it from count on day 1",
        "charlie": "nothing found",
        "dana": "heard it from bob on day 1",
    }


async def test_an_unmasking_does_not_change_how_somebody_came_to_know_what_he_said(story: Session) -> None:
    await story.say("bob", "Roux says that he has bought the old mill.", key="m3")
    assert (await knows(story))["bob"] == "heard it from Monsieur Roux on day 1"
    await story.unmask("count", audience=["bob"])
    assert (await knows(story))["bob"] == "heard it from count on day 1"
    await story.unmask("count", audience="public")
    assert (await knows(story))["bob"] == "heard it from count on day 1"


async def test_he_is_found_by_his_mask_by_all_but_players(story: Session) -> None:
    assert (await story.turn("monsieur roux")).character == "count"
    back = story.backstage()
    assert (await back.inspect(ROUX)).owner in {"count", ROUX}
    said = (await back.preview(ROUX, "Good night.")).message
    assert (said.speaker, said.speak_as) == ("count", ROUX)
    assert (await back.preview("count", "Good night.")).message.speak_as is None
    assert "count (Count Fosco): in disguise as Monsieur Roux, here" in str(await back.overview())
    await story.join(Character("kim", kind="persona"))
    with pytest.raises(NotPermitted):  # as for anybody else's name
        await story.backstage(role="player", persona="kim").inspect(ROUX)


async def test_who_is_named_by_the_mask_speaks_in_disguise(story: Session) -> None:
    said = await (await story.say("monsieur  roux", "Good night.", key="m9")).settled()
    assert (said.message.speaker, said.message.speak_as) == ("count", ROUX)
    assert not (await story.say("count", "Good night.", speak_as=ROUX, key="m9")).created
    assert not leaks(await shown(story, "bob"))
    own = await (await story.say(ROUX, "It was me.", speak_as="count")).settled()
    assert own.message.speak_as is None
    other = await (await story.say(ROUX, "Boo!", speak_as="The Ghost")).settled()
    assert other.message.speak_as == "The Ghost"


async def test_he_is_there_and_goes_under_the_name_of_his_mask_too(story: Session) -> None:
    said = await (await story.say("bob", "Listen.", present=[ROUX])).settled()
    assert list(said.participants) == ["bob", "count"]
    await (await story.move(ROUX, "market")).settled()
    assert story.state.whereabouts["count"].place == "market"


async def test_a_mask_that_two_have_worn_names_neither(story: Session) -> None:
    await (await story.say("dana", "Boo!", speak_as=ROUX, audience=HERE)).settled()
    with pytest.raises(UnknownName, match=r"'Monsieur Roux' has been the mask of count and of dana: give the id"):
        await story.say(ROUX, "Boo!")


async def test_nobody_is_forgotten_by_the_name_of_a_mask(story: Session) -> None:
    with pytest.raises(UnknownName):
        await story.forget(ROUX)


class NotOf:
    """Withholds what this speaker said."""

    def __init__(self, speaker: str) -> None:
        self.speaker = speaker

    def filter(self, event: ReadEvent) -> Filter:
        return Compare("speaker", "!=", self.speaker)

    def strike(self, event: PlanEvent) -> Iterable[Strike]:
        return ()


async def test_filters_see_what_the_reader_sees(story: Session) -> None:
    async def found(speaker: str) -> list[str]:
        turn = await story.turn("bob", query="the old mill", in_prompt=[], filter=f'speaker = "{speaker}"')
        return [each.text for each in turn.memories]

    assert MILL in "".join(await found(ROUX))
    assert await found("count") == []
    await (await story.unmask("count", audience=["bob"])).settled()
    assert MILL in "".join(await found("count"))
    assert await found(ROUX) == []


@pytest.mark.parametrize(("speaker", "withheld"), [("count", False), (ROUX, True)])
async def test_a_guards_filter_sees_what_the_reader_sees(begin: Begin, speaker: str, withheld: bool) -> None:
    story = await begin(cast=CAST, present=HERE, guards=[NotOf(speaker)])
    await (await story.say("count", MILL, speak_as=ROUX, audience=HERE)).settled()
    turn = await story.turn("bob", query="the old mill", in_prompt=[])
    assert (MILL not in "".join(each.text for each in turn.memories)) == withheld


class Namer(Plugin):
    """Keeps what `on_recall` shows besides the memories, and answers nothing."""

    def __init__(self) -> None:
        self.seen = ""

    def on_recall(self, event: RecallEvent) -> None:
        self.seen += f"{event.cast} {event.state}"


async def test_what_events_show_of_the_cast_gets_into_no_prompt(begin: Begin) -> None:
    namer = Namer()
    story = await begin(cast=CAST, present=HERE, plugins=[namer])
    await story.say("count", MILL, speak_as=ROUX, audience=HERE)
    await story.move("count", "market")
    await story.change(quest="the mill")
    await (await story.leave("count")).settled()
    said = await shown(story, "bob")
    assert "Fosco" in namer.seen
    assert MILL in said
    assert not leaks(said)


async def test_a_branch_from_an_earlier_message_knows_who_was_in_disguise_then(story: Session) -> None:
    await story.say("count", "It is I, Fosco.", key="m3")
    await story.say("charlie", "Indeed.", key="m4")
    await story.say("count", "Or am I?", key="m5", speak_as="A Stranger")
    await story.unmask("count", ROUX, audience=["bob"], key="u")
    await story.say("dana", "Hello.", key="m6")
    hidden = [(await story.fork(f"at-{at}", at=at))._live.snapshot for at in ("m2", "m4", "m5", "u")]
    assert [each.guises for each in hidden] == [{"count": ROUX}, {}, {"count": "A Stranger"}, {"count": "A Stranger"}]
    assert [each.masks["count"] for each in hidden] == [(ROUX,), (ROUX,), (ROUX, "A Stranger"), (ROUX, "A Stranger")]
    assert [[each.to for each in snapshot.unmaskings] for snapshot in hidden] == [[], [], [], [("bob",)]]
