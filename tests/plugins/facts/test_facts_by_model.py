"""A model draws facts in the background, of what each set of listeners heard; what it says is a proposal."""

from __future__ import annotations

from typing import Any

import pytest

from earwitness import Channel
from earwitness.testing.reference import MemoryLedger, MemoryStore

from .conftest import FactModel
from .fact_stories import BAKER, BREAD, KIM, NURSE, begun, beyond, facts


async def test_those_who_heard_it_keep_what_a_model_finds(begin: Any, model: FactModel) -> None:
    model.says(BAKER)
    story = await begun(await begin({}))
    await story.say("kim", BREAD, key="k", audience=["alice"])
    assert [await facts(story, id) for id in ("kim", "alice", "bob", "world")] == [[], ["Kim is a baker."], [], []]
    (fact,) = (await story.backstage().inspect("alice", filter='type = "fact"')).memories
    assert (
        fact.metadata.items()
        >= {"about": "work", "confidence": 0.9, "version": 1, "gameDay": 1, "characterId": "kim"}.items()
    )
    (said,) = (await story.backstage().inspect("alice", filter='type = "message"')).memories
    assert fact.metadata["restsOn"] == [said.id]
    (cost,) = (await story.backstage().costs()).parts
    assert (cost.by, cost.spending.calls, cost.spending.tokens_in) == ("job:facts", 1, 9)
    await story.retract("k")
    assert await facts(story, "alice") == []


async def test_by_default_it_waits_until_a_person_approves_it(begin: Any, model: FactModel) -> None:
    model.says(BAKER)
    story = await begun(await begin({"write": "review"}))
    await story.say("kim", BREAD, audience=["alice", "bob"])
    assert await facts(story, "alice") == []
    (waiting,) = await story.review.waiting(kind="fact")
    assert waiting.proposal.text == "Kim is a baker."
    assert waiting.proposal.version.startswith("facts 1")
    await story.say("kim", BREAD, audience=["alice", "bob"])
    assert await facts(story, "alice") == []
    assert len(await story.review.waiting()) == 1
    await story.review.approve(waiting.id)
    assert [await facts(story, id) for id in ("alice", "bob", "charlie")] == [
        ["Kim is a baker."],
        ["Kim is a baker."],
        [],
    ]


@pytest.mark.parametrize("write", ["review", "auto"])
async def test_what_is_said_twice_in_one_exchange_is_one_proposal(begin: Any, model: FactModel, write: str) -> None:
    model.says(BAKER, NURSE)
    story = await begun(await begin({"write": write, "exchange": 3}))
    for key, said in (("one", BREAD), ("two", BREAD), ("three", "I am a nurse these days.")):
        await story.say("kim", said, key=key, audience=["alice"])
    await story.jobs.done()
    texts = [each.proposal.text for each in await story.review.proposals()]
    assert texts == ["Kim is a baker.", "Kim is now a nurse."]
    await story.retract("one")
    assert await facts(story, "alice") == ([] if write == "review" else ["Kim is a baker.", "Kim is now a nurse."])


async def test_the_rules_find_versions_in_one_exchange_too(begin: Any, model: FactModel) -> None:
    model.is_away()
    story = await begun(await begin({"exchange": 2}))
    await story.say("kim", "I live in Rome.", audience=["alice"])
    await story.say("kim", "I moved to Paris.", audience=["alice"])
    assert await facts(story, "alice") == ["Kim lives in Paris.", "Kim lives in Rome."]
    kept = (await story.backstage().inspect("alice", filter='type = "fact"')).memories
    assert sorted(each.metadata["version"] for each in kept) == [1, 2]


async def test_a_run_can_be_repeated_from_a_cassette(begin: Any, model: FactModel, tmp_path: Any) -> None:
    model.says(BAKER)
    tape = {"cassette": str(tmp_path / "tape.jsonl"), "cassette_mode": "record"}
    for mode in ("record", "replay"):
        story = await begun(await begin({}, model={**tape, "cassette_mode": mode}))
        await story.say("kim", BREAD, key="k", audience=["alice"])
        assert await facts(story, "alice") == ["Kim is a baker."]
        assert (await story.backstage().costs()).total.cached == (mode == "replay")
    assert len(model.shown) == 1


async def test_what_a_person_has_rejected_is_not_proposed_again(begin: Any, model: FactModel) -> None:
    model.says(BAKER)
    story = await begun(await begin({"write": "review"}))
    await story.say("kim", BREAD, audience=["alice"])
    assert await facts(story, "alice") == []
    (waiting,) = await story.review.waiting()
    await story.review.reject(waiting.id, "not worth it")
    await story.say("kim", BREAD, audience=["alice"])
    assert await facts(story, "alice") == []
    assert [each.status for each in await story.review.proposals()] == ["rejected"]


async def test_each_set_of_listeners_is_asked_about_by_itself(begin: Any, model: FactModel) -> None:
    story = await begun(await begin({"exchange": 4}))
    await story.say("kim", "Good evening, all of you.")
    await story.say("kim", '*whispers to Alice* "I have robbed the bank."')
    await story.say("kim", "This is for Bob alone.", channel=Channel(context="dm", channel_id="7"), audience=["bob"])
    await story.say("alice", "*thinks: Kim robbed it.* Hello, Kim.")
    assert await story.jobs.done(limit=20)
    seen = {tuple(each["id"] for each in shown["cast"]): str(shown["messages"]) for shown in model.shown}
    assert set(seen) == {("alice", "bob", "charlie", "kim"), ("alice", "kim"), ("bob", "kim")}
    assert "robbed" in seen["alice", "kim"]
    assert not any("robbed" in text for group, text in seen.items() if group != ("alice", "kim"))
    assert not any("Bob alone" in text for group, text in seen.items() if group != ("bob", "kim"))


async def test_known_facts_of_another_channel_are_not_shown(begin: Any, model: FactModel) -> None:
    model.says(BAKER)
    story = await begun(await begin({}))
    secretly: Any = {"channel": Channel(context="dm", channel_id="7"), "audience": ["alice"]}
    await story.say("kim", BREAD, **secretly)
    assert await facts(story, "alice") == ["Kim is a baker."]
    await story.say("kim", "What a day.", audience=["alice"])
    await story.say("kim", "Indeed.", **secretly)
    await story.jobs.done()
    known = [shown["known_facts"] for shown in model.shown]
    assert known == [[], [], [{"label": "f1", "text": "Kim is a baker."}]]


async def test_a_change_is_a_new_version_and_what_is_said_again_one_more_support(begin: Any, model: FactModel) -> None:
    model.says(BAKER, NURSE)
    story = await begun(await begin({}))
    await story.say("kim", BREAD, key="one", audience=["alice"])
    await story.jobs.done()
    await story.say("kim", BREAD, key="two", audience=["alice", "bob"])
    await story.jobs.done()
    await story.say("kim", "I am a nurse these days.", audience=["alice"])
    assert await facts(story, "alice") == ["Kim is a baker.", "Kim is now a nurse."]
    versions = (await story.backstage().inspect("alice", filter='type = "fact"')).memories
    assert sorted(each.metadata["version"] for each in versions) == [1, 2]
    await story.retract("one")
    assert await facts(story, "alice") == ["Kim is a baker.", "Kim is now a nurse."]
    assert await facts(story, "bob") == ["Kim is a baker."]
    await story.retract("two")
    assert await facts(story, "alice") == ["Kim is now a nurse."]


async def test_an_edited_message_is_read_again(begin: Any, model: FactModel) -> None:
    model.says(BAKER, NURSE)
    story = await begun(await begin({}))
    await story.say("kim", BREAD, key="k", audience=["alice"])
    assert await facts(story, "alice") == ["Kim is a baker."]
    await story.edit("k", "I am a nurse these days.")
    assert await facts(story, "alice") == ["Kim is now a nurse."]


@pytest.mark.parametrize("write", ["auto", "review"])
async def test_what_is_edited_or_retracted_while_the_model_is_asked_leaves_nothing_of_the_old_words(
    begin: Any, model: FactModel, write: str
) -> None:
    model.says(BAKER, NURSE)
    story = await begun(await begin({"write": write}))
    model.meanwhile.append(lambda: story.edit("k", "I am a nurse these days."))
    await story.say("kim", BREAD, key="k", audience=["alice"])
    assert await facts(story, "alice") == ([] if write == "review" else ["Kim is now a nurse."])
    assert [each.proposal.text for each in await story.review.proposals()] == ["Kim is now a nurse."]
    model.meanwhile.append(lambda: story.retract("gone"))
    await story.say("kim", BREAD, key="gone", audience=["bob"])
    assert await facts(story, "bob") == []
    assert len(await story.review.proposals()) == 1


@pytest.mark.parametrize(
    ("scope", "private", "audience", "where"),
    [
        ("personal", False, ["alice"], ["persona-p1-alice"]),
        ("user", False, None, ["user-u1"]),
        ("user", True, None, ["persona-p1-alice", "persona-p1-bob"]),
        ("user", False, ["alice"], ["persona-p1-alice"]),
    ],
)
async def test_what_users_say_of_themselves_goes_where_the_scope_says(
    begin: Any, model: FactModel, scope: str, private: bool, audience: Any, where: list[str]
) -> None:
    model.says(
        {**BAKER, "private": private},
        {**BAKER, "subject": "bob", "quote": "Bob bakes", "text": "Bob bakes.", "value": "bakes"},
    )
    story = await (await begin({"scope": scope})).session(
        "s1", cast=[KIM, "alice", "bob"], present=["kim", "alice", "bob"]
    )
    await story.say("kim", BREAD, audience=audience)
    await story.say("kim", "And I say that Bob bakes too.", audience=["alice"])
    found = ["persona-p1-alice", "persona-p1-bob", "user-u1"]
    assert [each for each in found if await beyond(story, each)] == where
    assert await facts(story, "alice") == ["Bob bakes."]


UNBELIEVED = [
    {**BAKER, "subject": "zeus"},
    {**BAKER, "subject": "charlie"},
    {**BAKER, "quote": "I bake for a living", "source": "m9"},
    {**BAKER, "quote": "I rob banks for a living"},
    {**BAKER, "quote": ""},
    {**BAKER, "value": "thief"},
    {**BAKER, "confidence": 0.2},
    {**BAKER, "confidence": "sure"},
    "Kim is a baker.",
    {},
]


@pytest.mark.parametrize("named", UNBELIEVED, ids=range(len(UNBELIEVED)))
async def test_what_a_message_does_not_say_is_not_believed(begin: Any, model: FactModel, named: Any) -> None:
    model.script = lambda shown: [{"source": "m1", **named} if isinstance(named, dict) else named]
    story = await begun(await begin({}))
    await story.say("kim", BREAD, audience=["alice"])
    assert await facts(story, "alice") == []


async def test_a_sentence_that_says_more_than_the_message_is_put_in_its_words(begin: Any, model: FactModel) -> None:
    model.says({**BAKER, "text": "Kim is a baker, and Charlie stole the crown.", "about": "the crown of Charlie"})
    story = await begun(await begin({}))
    await story.say("kim", BREAD, audience=["alice"])
    assert await facts(story, "alice") == ["Kim: “I bake for a living”"]
    (fact,) = (await story.backstage().inspect("alice", filter='type = "fact"')).memories
    assert "rown" not in str(fact.metadata)


async def test_the_rules_answer_where_the_model_cannot(begin: Any, model: FactModel) -> None:
    model.is_away()
    story = await begun(await begin({}))
    await story.say("kim", "I live in Rome.", audience=["alice"])
    await story.say("kim", "I moved to Paris.", audience=["alice"])
    assert await facts(story, "alice") == ["Kim lives in Paris.", "Kim lives in Rome."]
    assert [shown["messages"] for shown in model.shown] != []


async def test_hybrid_asks_only_about_what_the_rules_leave(begin: Any, model: FactModel) -> None:
    model.says(
        BAKER, {**BAKER, "about": "home", "value": "Rome", "text": "Kim lives in Rome.", "quote": "I live in Rome"}
    )
    story = await begun(await begin({"strategy": "hybrid", "write": "review"}))
    await story.say("kim", "I live in Rome.", audience=["alice"])
    assert await facts(story, "alice") == ["Kim lives in Rome."]
    await story.say("kim", "What a lovely day!", audience=["alice"])
    await story.jobs.done()
    assert model.shown == []
    await story.say("kim", f"I live in Rome. {BREAD}", audience=["alice"])
    assert await facts(story, "alice") == ["Kim lives in Rome."]
    assert [each.proposal.text for each in await story.review.waiting()] == ["Kim is a baker."]


async def test_with_off_no_model_is_asked(begin: Any, model: FactModel) -> None:
    story = await begun(await begin({"write": "off"}))
    await story.say("kim", f"I live in Rome. {BREAD}", audience=["alice"])
    assert await facts(story, "alice") == ["Kim lives in Rome."]
    assert model.shown == []


async def test_after_a_restart_nothing_is_asked_or_kept_twice(begin: Any, model: FactModel) -> None:
    model.says(BAKER)
    kept: Any = {"store": MemoryStore(), "ledger": MemoryLedger()}
    story = await begun(first := await begin({}, **kept))
    await story.say("kim", BREAD, key="k", audience=["alice"])
    assert await facts(story, "alice") == ["Kim is a baker."]
    await first.close()
    story = await begun(await begin({}, **kept))
    assert await facts(story, "alice") == ["Kim is a baker."]
    assert len(model.shown) == 1


async def test_what_is_cut_short_between_asking_and_noting_is_asked_again_and_kept_once(
    begin: Any, model: FactModel
) -> None:
    model.says(BAKER)

    class Cut(MemoryLedger):
        fails = True

        async def write_data(self, session: str, plugin: str, changes: Any) -> None:
            if plugin == "job:facts" and self.fails:
                raise OSError("the program ended here")
            await super().write_data(session, plugin, changes)

    ledger = Cut()
    story = await begun(await begin({}, ledger=ledger))
    await story.say("kim", BREAD, key="k", audience=["alice"])
    assert await story.jobs.done(limit=20)
    assert "the program ended here" in story.jobs.failures[0]
    ledger.fails = False
    assert await facts(story, "alice") == ["Kim is a baker."]
    assert len(model.shown) > 1
    keys = [each.key for each in await story.backstage().journal()]
    assert sum(key.endswith("-0") and key.startswith("review-") for key in keys) == 1


@pytest.mark.parametrize(
    ("said", "named", "kept"),
    [
        (BREAD, {"text": "Kim never bakes."}, ["Kim: “I bake for a living”"]),
        (BREAD, {"text": "Kim is not a baker."}, ["Kim: “I bake for a living”"]),
        (BREAD, {"text": "Kim doesn't bake.", "value": "not bake"}, []),
        (BREAD, {"text": "Kim hates Bob."}, ["Kim: “I bake for a living”"]),
        (BREAD, {"text": "Kim is married."}, ["Kim: “I bake for a living”"]),
        (BREAD, {"text": "Kim bakes for a living."}, ["Kim bakes for a living."]),
        ("I do not bake.", {"text": "Kim bakes.", "value": "bake", "quote": "bake"}, ["Kim: “I do not bake.”"]),
        (
            "I don't bake.",
            {"text": "Kim does not bake.", "value": "bake", "quote": "I don't bake"},
            ["Kim does not bake."],
        ),
        ("I don't bake.", {"text": "Kim never bakes.", "value": "bake", "quote": "bake"}, ["Kim: “I don't bake.”"]),
        ("No, I bake.", {"text": "Kim bakes.", "value": "bake", "quote": "I bake"}, ["Kim bakes."]),
        (
            "I love cats, but not dogs.",
            {"text": "Kim loves cats.", "value": "cats", "quote": "love cats"},
            ["Kim loves cats."],
        ),
        (
            "I bake. I never bake.",
            {"text": "Kim bakes.", "value": "bake", "quote": "bake"},
            ["Kim: “I bake. I never bake.”"],
        ),
        (f"I never {'ever ' * 60}bake.", {"text": "Kim bakes.", "value": "bake", "quote": "bake"}, []),
        ("Ich wohne in Rom.", {"text": "Kim wohnt in Rom.", "value": "Rom", "quote": "in Rom"}, ["Kim wohnt in Rom."]),
        ("Ich mag Rom.", {"text": "Kim wohnt in Rom.", "value": "Rom", "quote": "mag Rom"}, ["Kim: “mag Rom”"]),
    ],
)
async def test_no_fact_says_the_opposite_of_its_message(
    begin: Any, model: FactModel, said: str, named: dict[str, Any], kept: list[str]
) -> None:
    model.script = lambda shown: [{**BAKER, "source": "m1", **named}]
    story = await begun(await begin({}))
    await story.say("kim", said, audience=["alice"])
    assert await facts(story, "alice") == kept


async def test_what_is_denied_later_is_another_fact_than_before(begin: Any, model: FactModel) -> None:
    def script(shown: Any) -> list[dict[str, Any]]:
        is_denied = "not" in str(shown["messages"])
        text, quote = (
            ("Kim does not live in Rome.", "not live in Rome") if is_denied else ("Kim lives in Rome.", "in Rome")
        )
        return [{**BAKER, "about": "home", "value": "Rome", "source": "m1", "text": text, "quote": quote}]

    model.script = script
    story = await begun(await begin({}))
    await story.say("kim", "I live in Rome.", audience=["alice"])
    await story.jobs.done()
    await story.say("kim", "I do not live in Rome.", audience=["alice"])
    assert await facts(story, "alice") == ["Kim does not live in Rome.", "Kim lives in Rome."]
    kept = (await story.backstage().inspect("alice", filter='type = "fact"')).memories
    assert {each.content: each.metadata["version"] for each in kept} == {
        "Kim lives in Rome.": 1,
        "Kim does not live in Rome.": 2,
    }
