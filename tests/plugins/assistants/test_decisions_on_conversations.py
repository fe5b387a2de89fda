"""What a person decides about a conversation is checked first, and takes out nothing that another proposal wrote."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from earwitness import Earwitness
from earwitness.errors import InputError
from earwitness.records.usage import Usage
from earwitness_plugins.applications.assistants.review import ConversationReview
from earwitness_plugins.consolidation import Consolidation, ConsolidationTask

CAT, DOG, ENTRY = "The user has a cat.", "The user has a dog.", "They greeted each other."
BAD: list[Any] = [5, 1.5, True, ["x"], {"x": 1}, b"x", object(), "\udc80"]


class Model:
    """A consolidator that says one line after the other, and always the same of what happened."""

    def __init__(self, *lines: str) -> None:
        self._lines = list(lines)

    def consolidate(self, task: ConsolidationTask) -> Consolidation:
        return Consolidation(memory_update=(self._lines.pop(0),), history_entry=ENTRY, usage=Usage(model="m"))


async def talked(ew: Earwitness, *lines: str) -> tuple[Any, ConversationReview, list[str]]:
    """A conversation that was closed once for each line, its queue, and the ids of what waits."""
    conversation = ew.conversation("k", consolidator=Model(*lines))
    for each in lines:
        await conversation.add("user", f"I say: {each}")
        await conversation.close()
    review = ew.conversation.review
    return conversation, review, [each.id for each in await review.waiting()]


def opened(folder: Path) -> Any:
    return Earwitness.open(folder / "b.db", supermemory={"api_key": ""}, embedder="none")


async def test_what_no_queue_can_use_is_refused_and_the_conversation_stays(tmp_path: Path) -> None:
    async with opened(tmp_path) as ew:
        conversation, review, (id,) = await talked(ew, CAT)
        before = conversation.file.path.read_bytes()
        for bad in BAD:
            for call in (
                review.reject(id, bad),
                review.approve(id, content=bad),
                review.approve(bad),
                review.reject(bad),
                review.get(bad),
                review.waiting(kind=bad),
                review.waiting(about=bad),
                review.proposals(status=bad),
                review.proposals(kind=bad),
                review.proposals(ids=bad if isinstance(bad, str) else [bad]),
                review.statuses(kind=bad),
            ):
                with pytest.raises(InputError, match=r"cannot be used|must be one of"):
                    await call
            with pytest.raises(InputError, match=r"role = .* cannot be used"):
                review.acting(role=bad)
        with pytest.raises(InputError, match="reason = None cannot be used"):
            await review.reject(id, None)  # type: ignore[arg-type]
        with pytest.raises(InputError, match="content = '' must say something"):
            await review.approve(id, content=" ")
        assert conversation.file.path.read_bytes() == before
        assert [each.id for each in await review.waiting()] == [id]


async def test_nothing_is_written_that_could_not_be_read_again(tmp_path: Path) -> None:
    async with opened(tmp_path) as ew:
        conversation, _, _ = await talked(ew, CAT)
        before = conversation.file.path.read_bytes()
        for bad in (None, "\udc80"):
            with pytest.raises(InputError, match="conversation 'k' cannot be changed so, and was left as it is"):
                conversation.file.change(lambda head, said, bad=bad: (head.model_copy(update={"run": bad}), said))
        assert conversation.file.path.read_bytes() == before


@pytest.mark.parametrize("second", [False, True])
async def test_rejecting_one_leaves_what_another_wrote_in_the_same_words(tmp_path: Path, second: bool) -> None:
    async with opened(tmp_path) as ew:
        conversation, review, ids = await talked(ew, CAT, DOG)
        for each in ids:
            await review.approve(each)
        facts = await conversation.facts()
        assert await conversation.history() == (ENTRY, ENTRY)
        await review.reject(ids[second])
        assert await conversation.history() == (ENTRY,)
        assert await conversation.facts() == tuple(each for each in facts if each != (CAT, DOG)[second])
        await review.reject(ids[not second])
        assert await conversation.history() == ()


async def test_the_entry_that_goes_is_that_of_the_rejected_one(tmp_path: Path) -> None:
    async with opened(tmp_path) as ew:
        conversation, review, ids = await talked(ew, CAT, DOG)
        await review.approve(ids[0])
        conversation.file.change(
            lambda head, said: (head.model_copy(update={"history": (*head.history, "Between.")}), said)
        )
        await review.approve(ids[1])
        await review.reject(ids[0])
        assert await conversation.history() == ("Between.", ENTRY)


async def test_a_person_s_words_stay_when_the_proposal_that_had_them_first_is_rejected(tmp_path: Path) -> None:
    async with opened(tmp_path) as ew:
        conversation, review, ids = await talked(ew, CAT, DOG)
        await review.approve(ids[0])
        await review.approve(ids[1], content=CAT)
        await review.reject(ids[0])
        assert CAT in await conversation.facts()
        await review.reject(ids[1])
        assert CAT not in await conversation.facts()
        assert all(re.match("user: ", each) for each in await conversation.facts())


@pytest.mark.parametrize("field", Consolidation.model_fields)
async def test_what_a_consolidator_of_one_s_own_answers_is_checked_and_nothing_is_lost(
    tmp_path: Path, field: str
) -> None:
    class Careless:
        def consolidate(self, task: ConsolidationTask) -> Consolidation:
            return Consolidation(memory_update=(CAT,), usage=Usage(model="m")).model_copy(update={field: answers.pop()})

    answers: list[Any] = [5, ["\udc80"], object()]
    async with opened(tmp_path) as ew:
        conversation = ew.conversation("k", consolidator=Careless())
        await conversation.add("user", "My cat is called Mio.")
        while answers:
            closing = await conversation.close()
            assert "the consolidator's answer cannot be used: " in (closing.failure or "")
            assert [each.content for each in await conversation.messages()] == ["My cat is called Mio."]
