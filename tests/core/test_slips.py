"""What a host is likely to get wrong: understood where it can only mean one thing, else one clear error."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from earwitness import Character, Update
from earwitness.errors import InputError, SettingsError
from earwitness.sync import Earwitness, Session
from earwitness.testing.reference import MemoryLedger, MemoryStore


@pytest.fixture
def ew() -> Iterator[Earwitness]:
    strategies: dict[str, Any] = {"store": MemoryStore(), "ledger": MemoryLedger()}
    with Earwitness.open(**strategies, embedder="none", detector="none", world_agent="none") as opened:
        yield opened


@pytest.fixture
def story(ew: Earwitness) -> Session:
    return ew.session("s1", cast=["alice", Character("bob", aliases=["Robert"])])


def test_one_text_is_one_piece_of_lore_not_one_for_each_letter(story: Session) -> None:
    story.prepare(lore="Dragons sleep badly.").settled()
    assert [memory.content for memory in story.backstage().inspect("alice").memories] == ["Dragons sleep badly."]


def test_one_name_is_one_character(ew: Earwitness) -> None:
    assert ew.session("s2", cast="alice", present="alice").state.here == ("alice",)


def test_one_name_is_whom_the_host_means_to_be_present(story: Session) -> None:
    assert list(story.say("alice", "Hm.", audience="bob").settled().participants) == ["alice", "bob"]
    assert list(story.edit("#2", "Hm!", audience="bob").settled().participants) == ["alice", "bob"]
    assert list(story.backstage().preview("alice", "Hm.", audience="bob").participants) == ["alice", "bob"]


def test_who_is_present_as_a_story_begins_may_be_named_by_an_alias(ew: Earwitness) -> None:
    story = ew.session("s2", cast=["alice", Character("bob", aliases=["Robert"])], present=["Robert"])
    assert story.state.here == ("bob",)


def telling(story: Session, content: Any) -> list[Callable[[], object]]:
    """Every way to tell a message, or to put another in its place."""
    return [lambda: story.say("alice", content), lambda: story.edit("m1", content), lambda: story.reroll(content)]


@pytest.mark.parametrize("content", ["", " \n", "<earwitness-memories>\n1. Bob lied.\n</earwitness-memories>"])
def test_a_message_with_nothing_in_it_is_refused(story: Session, content: str) -> None:
    story.say("alice", "Hm.", key="m1")
    for tell in telling(story, content):
        with pytest.raises(InputError, match=r"is empty.*nothing to remember"):
            tell()
    assert story.backstage().inspect("alice").total == 1


@pytest.mark.parametrize("content", ["", " \n"])
def test_an_empty_message_is_not_said_to_hold_memories(story: Session, content: str) -> None:
    with pytest.raises(InputError, match=r"is empty: there is nothing to remember"):
        story.say("alice", content)


@pytest.mark.parametrize("content", [None, 5, b"Hello."])
def test_a_message_that_is_no_text_is_refused(story: Session, content: Any) -> None:
    story.say("alice", "Hm.", key="m1")
    for tell in telling(story, content):
        with pytest.raises(InputError, match=f"message {content!r} cannot be used: it must be text"):
            tell()


def test_the_context_of_a_turn_is_one_of_three(story: Session) -> None:
    public: Any = "public"
    refused = "'public' must be one of dm, private_channel, public_channel"
    with pytest.raises(InputError, match=refused):
        story.turn("alice", context=public)
    with pytest.raises(InputError, match=refused):
        story.say("alice", "Hm.", context=public)


def test_settings_of_one_recall_are_checked_as_in_the_settings(story: Session) -> None:
    with pytest.raises(SettingsError, match=r"takes no 'memory'.*Did you mean 'memories'"):
        story.turn("alice", memory=5)
    with pytest.raises(SettingsError, match="recent"):
        story.turn("alice", recent=4)


def test_settings_of_one_fill_are_checked_as_in_the_settings(story: Session) -> None:
    turn = story.turn("alice")
    with pytest.raises(SettingsError, match="numbered"):
        turn.fill("###SUPERMEMORY###", format="xml")
    with pytest.raises(SettingsError, match=r"unknown key 'fromat'.*Did you mean 'format'"):
        turn.text(fromat="json")


def test_a_change_of_nothing_is_refused(story: Session) -> None:
    with pytest.raises(InputError, match=r"change\(\) was given nothing"):
        story.change()
    assert story.say("alice", "Hm.").sequence == 2


@pytest.mark.parametrize("description", ["", " \n", ".", "<earwitness-memories>\n1. Bob lied.\n</earwitness-memories>"])
def test_an_update_that_tells_nothing_is_refused(story: Session, description: str) -> None:
    for tell in (
        lambda: story.update(description),
        lambda: story.change(gold=3, description=description),
        lambda: story.change(updates=[Update(description=description)]),
    ):
        with pytest.raises(InputError, match="is empty: there is nothing to tell"):
            tell()
    assert story.backstage().inspect("world").total == 0


def test_nobody_was_present_before_they_joined(story: Session) -> None:
    story.say("alice", "Hm.", key="m1")
    story.join("dana")
    with pytest.raises(InputError, match="'dana' joined after message 'm1', and cannot have been present"):
        story.edit("m1", "Hm!", audience=["bob", "dana"])
    assert list(story.edit("m1", "Hm!", audience=["bob"]).settled().participants) == ["alice", "bob"]


@pytest.mark.parametrize("at", [True, 2.5])
def test_a_branch_begins_at_a_key_or_a_number(story: Session, at: Any) -> None:
    story.say("alice", "Hm.")
    with pytest.raises(InputError, match=f"at={at} cannot be an entry"):
        story.fork("s2", at=at)


def test_the_day_is_no_key_of_the_hosts_own(story: Session) -> None:
    with pytest.raises(InputError, match="state key 'day' looks like 'game_day'"):
        story.change(day=3)
    story.change(game_day=3, day_of_week="Monday").settled()
    assert (story.state.game_day, story.state.model_extra) == (3, {"day_of_week": "Monday"})
