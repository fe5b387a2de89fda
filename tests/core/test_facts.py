"""Facts: what packages note with an entry of the journal holds until the entry is retracted."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from earwitness import Earwitness, Plugin, Session, StateChangeAnswer, StateChangeEvent
from earwitness.errors import InputError
from earwitness.events import Derivation, SharingAnswer, SharingEvent
from earwitness.testing.scripted import ByScript

Begin = Callable[..., Awaitable[Session]]


class Clerk:
    """A sharing rule that notes who spoke, and what moved or happened."""

    def share(self, event: SharingEvent) -> SharingAnswer:
        happened = [each.update_type for each in event.updates]
        moved = [each.character for each in event.movements]
        return SharingAnswer(facts=({"spoke": event.message.speaker, "happened": happened, "moved": moved},))


class Notary(Plugin):
    """A plugin that notes the updates a host reports."""

    follows_updates = True

    def on_state_change(self, event: StateChangeEvent) -> StateChangeAnswer | None:
        return StateChangeAnswer(facts=tuple(each.update_type for each in event.updates), covers=frozenset())


async def test_a_plugin_that_follows_updates_is_told_who_comes_and_goes(begin: Begin) -> None:
    class Porter(Plugin):
        follows_updates = True

        def on_state_change(self, event: StateChangeEvent) -> StateChangeAnswer | None:
            return StateChangeAnswer(facts=tuple(str(each) for each in event.movements)) if event.movements else None

    class Deaf(Plugin):
        def on_state_change(self, event: StateChangeEvent) -> StateChangeAnswer | None:
            return StateChangeAnswer(facts=("asked",))

    story = await begin(plugins=[Porter(), Deaf()])
    gone = await story.leave("bob", to="mill")
    await story.settled()
    assert story.state.facts_of("porter") == ("bob leaves to mill",)
    assert story.state.facts_of("deaf") == ()
    await (await story.retract(gone.key)).settled()
    assert story.state.facts_of("porter") == ()


async def test_facts_of_a_change_hold_until_it_is_retracted(begin: Begin) -> None:
    story = await begin()
    await story.change(facts={"guild": [{"of": "alice"}]}, key="r1")
    await story.change(facts={"guild": ["second"], "other": [1]}, key="r2")
    await story.settled()
    assert story.state.facts_of("guild") == ({"of": "alice"}, "second")
    await story.retract("r1")
    await story.settled()
    assert story.state.facts_of("guild") == ("second",)
    assert story.state.facts_of("other") == (1,)


async def test_the_world_remembers_nothing_of_facts(begin: Begin) -> None:
    story = await begin()
    outcome = await (await story.change(facts={"guild": [1]})).settled()
    assert outcome.plan.deliveries == ()
    assert list(outcome.plan.facts) == [outcome.plan.key]


async def test_facts_of_a_rule_fall_with_the_message_and_change_with_it(begin: Begin) -> None:
    story = await begin(sharing_rules=[Clerk()])
    await story.say("alice", "Hello.", key="m1", present=["bob"])
    await story.say("bob", "Hello, Alice.", key="m2", present=["alice"])
    await story.settled()
    assert [each["spoke"] for each in story.state.facts_of("clerk")] == ["alice", "bob"]  # type: ignore[index, call-overload]
    await story.edit("m1", "Good evening.")
    await story.retract("m2")
    await story.settled()
    assert list(story.state.facts) == ["m1"]


async def test_a_rule_sees_what_the_message_changed(begin: Begin) -> None:
    story = await begin(sharing_rules=[Clerk()], world_agent={"name": "rules"})
    await story.say("alice", "*picks up the Sacred Sword*", present=["bob"])
    await story.settled()
    (noted,) = story.state.facts_of("clerk")
    assert noted["happened"] == ["item_acquired"]  # type: ignore[index, call-overload]


async def test_a_plugin_notes_the_updates_that_a_host_reports(begin: Begin) -> None:
    story = await begin(plugins=[Notary()])
    await story.update("Alice acquired the Sacred Sword", character="alice", type="item_acquired", key="u1")
    await story.settled()
    assert story.state.facts_of("notary") == ("item_acquired",)
    await story.retract("u1")
    await story.settled()
    assert story.state.facts == {}


async def test_a_branch_has_the_facts_of_before_it(begin: Begin) -> None:
    story = await begin()
    await story.change(facts={"guild": ["early"]}, key="r1")
    branch = await story.fork("branch")
    await story.change(facts={"guild": ["late"]}, key="r2")
    await branch.retract("r1")
    await story.settled()
    await branch.settled()
    assert (story.state.facts_of("guild"), branch.state.facts_of("guild")) == (("early", "late"), ())


async def test_an_export_takes_the_facts_along(open_app: Callable[..., Awaitable[Earwitness]]) -> None:
    app = await open_app()
    story = await app.session("s1", cast=["alice"])
    await story.change(facts={"guild": ["early"]})
    await story.settled()
    lines = [line async for line in story.backstage().export()]
    again = await app.import_session(lines, id="again")
    assert again.state.facts_of("guild") == ("early",)


@pytest.mark.parametrize("facts", [{"guild": "no list"}, {"guild": [float("nan")]}, 7])
async def test_facts_that_json_does_not_hold_are_refused(begin: Begin, facts: object) -> None:
    story = await begin()
    with pytest.raises(InputError):
        await story.change(facts=facts)


class Hub:
    """A sharing rule that leaves a copy in a container of its own."""

    def share(self, event: SharingEvent) -> SharingAnswer:
        note = Derivation(
            content=event.message.content, owner="bob", how="shared", shared_from="alice", trust=0.5, due=event.day + 2
        )
        return SharingAnswer(shares=(), derived=(note,))


async def test_a_rule_proposes_memories_that_say_how_they_are_known(begin: Begin) -> None:
    story = await begin(detector=ByScript(), sharing_rules=[Hub()])
    await story.say("alice", "I buried the key.", key="m1")
    await story.settled()
    assert not [each async for each in _of(story, "bob")]
    await story.change(game_day=3)
    await story.delivered()
    (memory,) = [each async for each in _of(story, "bob")]
    assert memory.metadata["interactionType"] == "shared"
    assert memory.metadata["sharedFrom"] == "alice"
    assert memory.learned_day == 3
    await story.retract("m1")
    await story.delivered()
    assert not [each async for each in _of(story, "bob")]


async def _of(story: Session, character: str):  # type: ignore[no-untyped-def]
    for each in (await story.turn(character, query="the key", in_prompt=[])).memories:
        yield each.memory
