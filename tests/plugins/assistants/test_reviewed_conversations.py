"""What a model would remember of a conversation waits for a person; what the user said is remembered at once."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from earwitness import Earwitness, sync
from earwitness.errors import InputError, NotPermitted, UnknownName
from earwitness.records.usage import Usage
from earwitness_plugins.consolidation import Consolidation, ConsolidationTask
from earwitness_plugins.terminal.group import group
from earwitness_plugins.testing.model import ScriptedModel

from .uploads import CONTAINER

CAT, ENTRY = "The user's cat is called Mio.", "The user spoke of a cat."
ANSWER = {"history_entry": ENTRY, "memory_update": [CAT]}
OWN = "user: My cat is called Mio."
ASKS = {"strategy": "language_model"}


class Model:
    """A consolidator that asks a model, or says so."""

    def __init__(self) -> None:
        self.asked: list[ConsolidationTask] = []

    async def consolidate(self, task: ConsolidationTask) -> Consolidation:
        self.asked.append(task)
        return Consolidation(history_entry=ENTRY, memory_update=(CAT,), usage=Usage(model="m", tokens_in=9, cost=0.5))


def bot(folder: Path, **more: Any) -> dict[str, Any]:
    return {"path": str(folder / "bot.db"), "supermemory": {"api_key": "", "memory_window": 4}, **more}


async def talked(ew: Earwitness, key: str = "telegram:42", consolidator: Any = None) -> Any:
    conversation = ew.conversation(key, consolidator=consolidator)
    await conversation.add("user", "My cat is called Mio.")
    await conversation.add("assistant", "What a nice name!")
    return conversation


async def closed(ew: Earwitness, key: str = "telegram:42", consolidator: Any = None) -> Any:
    conversation = await talked(ew, key, consolidator or Model())
    assert (await conversation.close()).cleared
    return conversation


async def test_what_a_model_says_waits_and_is_remembered_once_it_is_approved(tmp_path: Path) -> None:
    with ScriptedModel([ANSWER]) as model:
        async with Earwitness.open(settings=bot(tmp_path, consolidation=ASKS, model=model.settings())) as ew:
            conversation = await talked(ew)
            assert (await conversation.close()).cleared
            assert (await conversation.facts(), await conversation.history()) == ((OWN,), ())
            (waiting,) = await ew.conversation.review.waiting(kind="consolidation", about="telegram:42")
            assert (waiting.session, waiting.status, waiting.day) == (CONTAINER, "waiting", None)
            assert waiting.proposal.by == "consolidator:language_model"
            assert waiting.proposal.usage is not None
            for line in (ENTRY, CAT, "of 2 messages", OWN):
                assert line in waiting.proposal.text
            done = await ew.conversation.review.approve(waiting.id[:4])
            assert (done.status, done.decided_by) == ("approved", "author")
            await ew.conversation.review.approve(waiting.id)
            assert (await conversation.facts(), await conversation.history()) == ((OWN, CAT), (ENTRY,))
            assert await ew.conversation.review.waiting() == ()
    assert len(model.requests) == 1


async def test_nothing_that_waits_or_was_rejected_is_told_to_the_bot(tmp_path: Path) -> None:
    async with Earwitness.open(settings=bot(tmp_path)) as ew:
        conversation = await closed(ew)
        (waiting,) = await ew.conversation.review.waiting()
        assert "called Mio" in str(await conversation.context("Who is the user's cat?"))
        assert CAT not in str(await conversation.context("Who is the user's cat?"))
        done = await ew.conversation.review.reject(waiting.id, "she was joking")
        assert (done.status, done.reason) == ("rejected", "she was joking")
        assert CAT not in str(await conversation.context("Who is the user's cat?"))
        assert await conversation.history() == ()


async def test_what_was_rejected_is_not_proposed_again_and_what_waits_is_not_proposed_twice(tmp_path: Path) -> None:
    async with Earwitness.open(settings=bot(tmp_path)) as ew:
        model = Model()
        await closed(ew, consolidator=model)
        await closed(ew, consolidator=model)
        assert CAT in model.asked[1].known
        one, two = [each.proposal.payload["memory_update"] for each in await ew.conversation.review.waiting()]
        assert (one, two) == ([CAT], [])
        for each in await ew.conversation.review.waiting():
            await ew.conversation.review.reject(each.id)
        conversation = await closed(ew, consolidator=model)
        (third,) = await ew.conversation.review.waiting()
        assert third.proposal.payload["memory_update"] == []
        assert await conversation.facts() == (OWN,)


async def test_what_was_approved_by_mistake_is_taken_back(tmp_path: Path) -> None:
    async with Earwitness.open(settings=bot(tmp_path)) as ew:
        conversation, review = await closed(ew), ew.conversation.review
        (waiting,) = await review.waiting()
        await review.approve(waiting.id, content="The cat is called Mia.\nShe is old.")
        with pytest.raises(InputError, match=r"approved before, in other words: .The cat is old\.. is not remembered"):
            await review.approve(waiting.id, content="The cat is old.")
        await review.approve(waiting.id, content="The cat is called Mia.\nShe is old.")
        await review.approve(waiting.id)
        assert await conversation.facts() == (OWN, "The cat is called Mia.", "She is old.")
        assert (await review.reject(waiting.id, "no")).status == "rejected"
        assert (await conversation.facts(), await conversation.history()) == ((OWN,), ())
        with pytest.raises(InputError, match="content = '' must say something"):
            await review.approve(waiting.id, content=" \n")


async def test_with_auto_it_is_written_at_once_and_the_queue_says_so(tmp_path: Path) -> None:
    async with Earwitness.open(settings=bot(tmp_path, consolidation={"write": "auto"})) as ew:
        conversation = await closed(ew)
        assert (await conversation.facts(), await conversation.history()) == ((CAT,), (ENTRY,))
        (done,) = await ew.conversation.review.proposals()
        assert (done.status, done.decided_by, done.proposal.usage.cost) == ("approved", "auto", 0.5)


async def test_with_off_no_model_is_asked_and_rules_go_on(tmp_path: Path) -> None:
    model = Model()
    with ScriptedModel([]) as scripted:
        chosen = {"consolidation": {**ASKS, "write": "off"}, "model": scripted.settings()}
        async with Earwitness.open(settings=bot(tmp_path, **chosen)) as ew:
            assert await (await closed(ew, "k", model)).facts() == (OWN,)
            conversation = await talked(ew)
            await conversation.close()
            assert await conversation.facts() == (OWN,)
            assert await ew.conversation.review.proposals() == ()
    assert (scripted.requests, model.asked) == ([], [])


async def test_a_consolidator_of_ones_own_that_asks_no_model_needs_nobody(tmp_path: Path) -> None:
    class Rules:
        def consolidate(self, task: ConsolidationTask) -> Consolidation:
            return Consolidation(memory_update=("They spoke of a cat.",))

    async with Earwitness.open(settings=bot(tmp_path)) as ew:
        assert await (await closed(ew, consolidator=Rules())).facts() == ("They spoke of a cat.",)
        assert await ew.conversation.review.proposals() == ()


async def test_beyond_the_window_a_proposal_waits_while_the_conversation_goes_on(tmp_path: Path) -> None:
    async with Earwitness.open(settings=bot(tmp_path)) as ew:
        for _ in range(3):
            conversation = await talked(ew, consolidator=Model())
        for _ in range(500):
            if waiting := await ew.conversation.review.waiting():
                break
            await asyncio.sleep(0.01)
        assert waiting[0].proposal.identity[2] == "0"
        assert await conversation.facts() == (OWN,)
        await ew.conversation.review.approve(waiting[0].id)
        assert (await conversation.close()).cleared  # what was approved stays
        assert (await conversation.facts(), await conversation.history()) == ((OWN, CAT), (ENTRY,))


async def test_of_two_programs_one_asks_a_model_at_a_time_and_nothing_is_proposed_twice(tmp_path: Path) -> None:
    settings = bot(tmp_path)
    async with Earwitness.open(settings=settings) as one, Earwitness.open(settings=settings) as other:
        asked, answers = asyncio.Event(), asyncio.Event()

        class Waits(Model):
            async def consolidate(self, task: ConsolidationTask) -> Consolidation:
                asked.set()
                await answers.wait()
                return await super().consolidate(task)

        models = Waits(), Waits()
        for _ in range(3):
            for ew, model in zip((one, other), models, strict=True):
                await talked(ew, consolidator=model)
        await asked.wait()
        closing = asyncio.create_task(other.conversation("telegram:42").close())
        answers.set()
        assert (await closing).cleared
        texts = [each.text for model in models for task in model.asked for each in task.remembered]
        assert len(texts) == 12
        read = [await ew.conversation.review.waiting() for ew in (one, other)]
        assert read[0] == read[1]
        stretches = sorted((int(each.proposal.identity[2]), int(each.proposal.identity[3])) for each in read[0])
        assert [begin for begin, _ in stretches] == [0, *(end for _, end in stretches[:-1])]


async def test_what_is_forgotten_takes_its_proposals_along(tmp_path: Path) -> None:
    async with Earwitness.open(settings=bot(tmp_path)) as ew:
        conversation, review = await closed(ew), ew.conversation.review
        await closed(ew, "discord:7")
        (waiting,) = await review.waiting(about="telegram:42")
        read = review.get

        async def forgotten_meanwhile(id: str) -> Any:
            found = await read(id)
            await conversation.forget()
            return found

        review.get = forgotten_meanwhile
        with pytest.raises(InputError, match="has fallen: what was said in conversation 'telegram:42' was forgotten"):
            await review.approve(waiting.id)
        del review.get
        assert await conversation.facts() == ()
        with pytest.raises(UnknownName, match=f"in the conversations of '{CONTAINER}'"):
            await review.get(waiting.id)
        assert [each.proposal.about for each in await review.proposals()] == [("discord:7",)]
        assert not (ew.conversation.folder / "telegram%3A42.jsonl").exists()
        await ew.forget_container(CONTAINER)
        assert await review.proposals() == ()


async def test_a_player_may_neither_see_nor_approve_it_and_others_are_recorded(tmp_path: Path) -> None:
    async with Earwitness.open(settings=bot(tmp_path)) as ew:
        await closed(ew)
        (waiting,) = await ew.conversation.review.waiting()
        player = ew.conversation.review.acting(role="player")
        for call in (player.waiting, lambda: player.approve(waiting.id), lambda: player.reject(waiting.id)):
            with pytest.raises(NotPermitted):
                await call()
        done = await ew.conversation.review.acting(role="designer").approve(waiting.id)
        assert done.decided_by == "designer"
        assert await ew.conversation.review.statuses() == {waiting.id: "approved"}


CHILD = """
import asyncio, os, sys
from earwitness import Earwitness
from earwitness_plugins.applications.assistants import file
sys.path.insert(0, {root!r})
from tests.plugins.assistants.test_reviewed_conversations import bot, closed
from pathlib import Path

when, kept = sys.argv[1], file.replaced

def dies(path, text, still):
    if "proposals" in text and "consolidator:Model" in text:
        if when == "after":
            kept(path, text, still)
        os.kill(os.getpid(), 9)
    return kept(path, text, still)

file.replaced = dies

async def main():
    async with Earwitness.open(settings=bot(Path({folder!r}))) as ew:
        await closed(ew)

asyncio.run(main())
"""


@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_program_that_is_killed_loses_no_proposal_and_makes_none_twice(tmp_path: Path, when: str) -> None:
    code = CHILD.format(root=str(Path(__file__).parents[3]), folder=str(tmp_path))
    done = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", code, when], env={**os.environ}, capture_output=True, check=False
    )
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    async with Earwitness.open(settings=bot(tmp_path)) as ew:
        conversation = ew.conversation("telegram:42", consolidator=Model())
        assert len(await ew.conversation.review.waiting()) == (when == "after")
        assert (await conversation.close()).uploaded
        (waiting,) = await ew.conversation.review.waiting()
        await ew.conversation.review.approve(waiting.id)
        assert await conversation.facts() == (OWN, CAT)
        assert [each.content for each in await ew.engine.store.list(CONTAINER)] == [
            "user: My cat is called Mio.\nassistant: What a nice name!"
        ]


def run(*args: str, code: int = 0) -> Result:
    done = CliRunner().invoke(group, [*args], prog_name="earwitness")
    assert done.exit_code == code, done.output
    return done


def on_disk(folder: Path, name: str = "bot") -> str:
    path = folder / f"{name}.toml"
    path.write_text(f"path = '{folder / name}.db'\n[supermemory]\napi_key = ''\n", "utf-8")
    return str(path)


def test_the_command_line_has_one_queue_for_stories_and_conversations(tmp_path: Path) -> None:
    async def prepared() -> None:
        async with Earwitness.open(settings=settings) as ew:
            await closed(ew)
            await closed(ew, "discord:7")

    settings = on_disk(tmp_path)
    asyncio.run(prepared())

    def review(*args: str, code: int = 0) -> str:
        return run("review", *args, "--settings", settings, code=code).output

    assert review("list", CONTAINER).count("waiting  consolidation about ") == 2
    first, second = review("list").splitlines()
    assert first.startswith(f"{CONTAINER}  ")
    id = first.split()[1]
    shown = review("show", CONTAINER, id)
    assert "by consolidator:Model" in shown
    assert CAT in shown
    assert review("approve", CONTAINER, id[:6]).startswith(f"Approved: {id}")
    assert review("reject", CONTAINER, second.split()[1], "--reason", "no").startswith("Rejected: ")
    assert review("list") == "Nothing waits for review.\n"
    found = json.loads(review("list", CONTAINER, "--all", "--json"))
    assert sorted(each["status"] for each in found) == ["approved", "rejected"]
    review("list", CONTAINER, "--role", "player", code=1)
    assert f"of a chat assistant is in '{CONTAINER}'" in review("list", "telegram:42", code=2)


def test_proposals_move_along_and_are_approved_where_they_are(tmp_path: Path) -> None:
    async def prepared() -> None:
        async with Earwitness.open(settings=source) as ew:
            await closed(ew)

    source, target = on_disk(tmp_path), on_disk(tmp_path, "new")
    asyncio.run(prepared())
    run("migrate", source, target)
    run("review", "approve", CONTAINER, "--all", "--settings", target)
    with sync.Earwitness.open(settings=target) as ew:
        assert ew.conversation("telegram:42").facts() == (OWN, CAT)
        assert ew.conversation.review.waiting() == ()
    with sync.Earwitness.open(settings=source) as ew:
        assert len(ew.conversation.review.acting(role="owner").waiting()) == 1
