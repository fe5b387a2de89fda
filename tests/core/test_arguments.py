"""A call that was given what it cannot use says so in one sentence: which argument, what it was, what is wanted."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from earwitness.errors import InputError
from earwitness.sync import Earwitness, Session
from earwitness.testing.reference import MemoryLedger, MemoryStore

HALF = "\ud800"


@pytest.fixture
def story() -> Iterator[Session]:
    strategies: dict[str, Any] = {"store": MemoryStore(), "ledger": MemoryLedger()}
    with Earwitness.open(**strategies, embedder="none", detector="none", world_agent="none") as ew:
        story = ew.session("s1", cast=["alice", "bob"])
        story.say("alice", "Hello.", key="m1")
        yield story


CALLS: list[tuple[Callable[[Any], object], str]] = [
    (lambda s: s.say(None, "Hm."), "character None must be text"),
    (lambda s: s.say("alice", "Hm.", audience=[None]), "character None must be text"),
    (lambda s: s.say("alice", "Hm.", audience=3), "audience = 3 cannot be used: it must be a list, not int"),
    (lambda s: s.say("alice", "Hm.", metadata=[1]), r"metadata = \[1\] cannot be used: it must be a table of keys"),
    (
        lambda s: s.say_all([("alice", "Hm.")]),
        r"messages\[0\] = .*: give the arguments of say\(\) by name, as {'speaker'",
    ),
    (lambda s: s.edit("m1", "Hm.", own_key=[]), r"message key \[\] must be text"),
    (lambda s: s.retract(HALF), "target = .* cannot be used: text must be valid Unicode"),
    (lambda s: s.retract("m1", by=3), "by = 3 cannot be used"),
    (lambda s: s.change(updates=3), "updates = 3 cannot be used: it must be a list"),
    (lambda s: s.change(updates=[3]), r"updates\[0\] = 3 cannot be used"),
    (lambda s: s.change(participants=3), "participants"),
    (lambda s: s.change(current_scene=" "), "current_scene = ' ' cannot be used: a place needs a name"),
    (lambda s: s.update("Rain.", audience=None), "audience = None cannot be used: it must be a list"),
    (lambda s: s.update("Rain.", character=3), "character 3 must be text"),
    (lambda s: s.enter(["alice"]), r"character \['alice'\] must be text"),
    (lambda s: s.move("alice", 3), "place = 3 cannot be used: it must be text, not int"),
    (lambda s: s.move("alice", ""), "place = '' cannot be used: it is empty"),
    (lambda s: s.leave("alice", to=" "), "to = ' ' cannot be used: it is empty"),
    (lambda s: s.join(3), "cast: 3 must be a Character or an id as text, not int"),
    (lambda s: s.prepare(cards="x"), "cards = 'x' cannot be used: it must be a table of keys with values"),
    (lambda s: s.prepare(cards={"alice": 3}), r"cards\['alice'\] = 3 cannot be used: it must be text"),
    (lambda s: s.prepare(examples={"alice": [3]}), r"examples\['alice'\] = 3 cannot be used: it must be text"),
    (lambda s: s.prepare(plot=3), "plot = 3 cannot be used: it must be text"),
    (lambda s: s.prepare(plot={"": "A war."}), "plot key = '' cannot be used: it is empty"),
    (lambda s: s.prepare(lore=3), "lore = 3 cannot be used: it must be a list"),
    (lambda s: s.prepare(originals=[3]), r"originals\[0\] = 3 cannot be used"),
    (lambda s: s.turn(3), "character 3 must be text"),
    (lambda s: s.turn("alice", query=3), "query = 3 cannot be used: it must be text"),
    (lambda s: s.turn("alice", in_prompt=[3]), "in_prompt = 3 cannot be used: it must be text"),
    (lambda s: s.turn("alice").fill(None), "prompt None must be a system prompt, a message with role and content"),
    (lambda s: s.turn("alice").fill([None]), r"prompt \[None\] must be a system prompt"),
    (lambda s: s.turn("alice").fill("x", 3), "memories = 3 cannot be used: it must be a list"),
    (lambda s: s.fork("s2", at=HALF), "at = .* cannot be used: text must be valid Unicode"),
    (lambda s: s.forget(None), "character None must be text"),
    (lambda s: s.backstage(3), "role = 3 cannot be used: it must be text"),
    (lambda s: s.backstage().who_knows(3), "question = 3 cannot be used: it must be text"),
    (lambda s: s.backstage().inspect(3), "character 3 must be text"),
    (lambda s: s.backstage().inspect("alice", limit=-1), "limit = -1 cannot be used: it must be a whole number from 0"),
    (lambda s: s.backstage().inspect("alice", limit=2**70), "limit = 1180591620717411303424 cannot be used"),
    (lambda s: s.backstage().inspect("alice", limit=1.5), "limit = 1.5 cannot be used: it must be a whole number"),
    (lambda s: s.backstage().inspect("alice", offset=-1), "offset = -1 cannot be used"),
]


@pytest.mark.parametrize(("call", "said"), CALLS)
def test_what_cannot_be_used_is_refused_in_one_sentence(
    story: Session, call: Callable[[Any], object], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        call(story)
    assert story.say("alice", "Still here.", key="m2").created


def test_one_key_is_one_message_that_the_prompt_holds(story: Session) -> None:
    one: Any = "m1"
    assert [each.memory.message_keys for each in story.turn("alice", query="Hello", in_prompt=one).memories] == []


@pytest.mark.parametrize("given", [3, None])
def test_what_no_story_can_be_made_of_is_refused(given: Any) -> None:
    strategies: dict[str, Any] = {"store": MemoryStore(), "ledger": MemoryLedger()}
    with Earwitness.open(**strategies, embedder="none", detector="none", world_agent="none") as ew:
        for call in (
            lambda: ew.session("s", cast=given),
            lambda: ew.session("s", cast=[given]),
            lambda: ew.open_session(given),
            lambda: ew.session("s", present=given),
            lambda: ew.session("s", present=[given]),
            lambda: ew.forget(given),
        ):
            with pytest.raises(InputError, match=f"{given} "):
                call()
        assert ew.sessions() == ()
