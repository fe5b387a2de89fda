"""Decisions are checked first; and of two that are taken at the same time, one holds."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from earwitness import Derivation, Earwitness, Session
from earwitness.errors import EarwitnessError, InputError
from earwitness_plugins.review import Proposal, Review, Reviewed, handlers
from earwitness_plugins.review import queue as review_queue

BAD: list[Any] = [5, 1.5, True, ["x"], {"x": 1}, b"x", object(), "\udc80"]


def proposal(text: str = "Alice lives in Rome.", **given: Any) -> Proposal:
    memory = Derivation(content=text, owner="bob")
    fields = {"kind": "fact", "text": text, "about": ("bob",), "rests_on": ("m1",), "memories": (memory,), "by": "x"}
    return Proposal(**{**fields, **given})


def opened(folder: Path) -> Any:
    return Earwitness.open(folder / "s.db", embedder="none", world_agent="none")


async def begun(ew: Earwitness) -> Session:
    story = await ew.session("s1", cast=["alice", "bob"])
    await story.say("alice", "I moved to Rome.", key="m1", audience=["bob"])
    return story


async def facts(story: Session) -> list[str]:
    await story.delivered()
    return [each.content for each in (await story.backstage().inspect("bob")).memories if each.type == "fact"]


async def test_what_no_queue_can_use_is_refused_and_the_proposal_waits(tmp_path: Path) -> None:
    async with opened(tmp_path) as ew:
        story = await begun(ew)
        review: Review = story.review
        found = await review.submit(proposal())
        for bad in BAD:
            for call in (
                review.reject(found.id, bad),
                review.approve(found.id, content=bad),
                review.approve(bad),
                review.reject(bad),
                review.get(bad),
                review.waiting(kind=bad),
                review.waiting(about=bad),
                review.proposals(status=bad),
                review.proposals(kind=bad),
                review.proposals(ids=bad if isinstance(bad, str) else [bad]),
                review.statuses(kind=bad),
                review.submit(bad),
                review.submit(proposal(), bad),
                review.known(bad),
            ):
                with pytest.raises(InputError, match=r"cannot be used|must be one of"):
                    await call
            with pytest.raises(InputError, match=r"role = .* cannot be used"):
                review.acting(role=bad)
        with pytest.raises(InputError, match="reason = None cannot be used"):
            await review.reject(found.id, None)
        with pytest.raises(InputError, match="content = '' must say something"):
            await review.approve(found.id, content=" ")
        assert await review.proposals() == (found,)
        assert await facts(story) == []


@pytest.mark.parametrize("field", Proposal.model_fields)
async def test_a_proposal_that_could_not_be_read_again_is_refused(tmp_path: Path, field: str) -> None:
    async with opened(tmp_path) as ew:
        story = await begun(ew)
        for bad in (5, object(), "\udc80", ["\udc80"], {"x": float("nan")}):
            for write in ("review", "auto"):
                with pytest.raises(InputError, match=r"proposal|kept"):
                    await story.review.submit(proposal().model_copy(update={field: bad}), write)
        assert await story.review.proposals() == ()


async def both(approving: Any, rejecting: Any) -> tuple[Any, Any]:
    return tuple(await asyncio.gather(approving, rejecting, return_exceptions=True))


@pytest.mark.parametrize("processes", [1, 2])
async def test_of_an_approval_and_a_rejection_at_once_one_holds(tmp_path: Path, processes: int) -> None:
    async with opened(tmp_path) as ew, opened(tmp_path) as second:
        story = await begun(ew)
        other = story if processes == 1 else await second.open_session("s1")
        for number in range(8):
            text = f"Fact {number}."
            id = (await story.review.submit(proposal(text))).id
            calls = [story.review.approve(id), other.review.reject(id, "no")]
            done = await asyncio.gather(*(reversed(calls) if number % 2 else calls), return_exceptions=True)
            said = {each.status for each in done if isinstance(each, Reviewed)}
            failed = [each for each in done if not isinstance(each, Reviewed)]
            assert all(isinstance(each, InputError) for each in failed)
            now = (await story.review.get(id)).status
            assert (await other.review.get(id)).status == now
            assert (text in await facts(story)) == (now == "approved")
            assert now in said, done
            assert said == {now} or len(failed) == 0


@pytest.mark.parametrize("rejected_while", ["it is written", "it is decided"])
async def test_rejected_by_another_process_while_it_is_approved(
    tmp_path: Path, rejected_while: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(tmp_path) as ew, opened(tmp_path) as second:
        story = await begun(ew)
        other = await second.open_session("s1")
        id = (await story.review.submit(proposal())).id
        name = "_remembered" if rejected_while == "it is written" else "_approve"
        goes_on = getattr(Review, name)

        async def after_the_rejection(self: Review, *given: Any) -> Any:
            monkeypatch.undo()
            assert (await other.review.reject(id, "no")).status == "rejected"
            return await goes_on(self, *given)

        monkeypatch.setattr(review_queue.Review, name, after_the_rejection)
        with pytest.raises(InputError, match="was rejected by author while it was being approved: nothing of it is"):
            await story.review.approve(id)
        assert (await story.review.get(id)).reason == "no"
        assert await facts(story) == []
        await story.review.approve(id)
        assert await facts(story) == ["Alice lives in Rome."]


async def test_approved_by_another_process_while_it_is_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(tmp_path) as ew, opened(tmp_path) as second:
        story = await begun(ew)
        other = await second.open_session("s1")
        id = (await story.review.submit(proposal())).id
        goes_on = Review._decide

        async def after_the_approval(self: Review, *given: Any) -> Any:
            monkeypatch.undo()
            assert (await other.review.approve(id)).status == "approved"
            return await goes_on(self, *given)

        monkeypatch.setattr(review_queue.Review, "_decide", after_the_approval)
        with pytest.raises(InputError, match=r"was approved. Take back what it wrote instead: retract"):
            await story.review.reject(id, "no")
        assert await facts(story) == ["Alice lives in Rome."]


async def test_what_a_handler_did_counts_as_approved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Point:
        def load(self) -> Any:
            return handled

    async def handled(story: Session, ew: Earwitness, reviewed: Reviewed) -> None:
        if not calls:
            calls.append((await other.review.reject(reviewed.id, "no")).status)

    calls: list[str] = []
    monkeypatch.setattr(handlers, "entry_point", lambda _, kind: Point() if kind == "guild" else None)
    async with opened(tmp_path) as ew, opened(tmp_path) as second:
        story = await begun(ew)
        other = await second.open_session("s1")
        found = await story.review.submit(proposal(kind="guild", payload={"x": 1}))
        assert (await story.review.approve(found.id)).status == "approved"
        assert calls == ["rejected"]
        assert (await other.review.get(found.id)).status == "approved"
        assert await facts(other) == ["Alice lives in Rome."]


async def test_a_decision_that_was_retracted_makes_room_for_another(tmp_path: Path) -> None:
    async with opened(tmp_path) as ew:
        story = await begun(ew)
        id = (await story.review.submit(proposal())).id
        for _ in range(3):
            await story.review.reject(id, "no")
            assert (await story.review.get(id)).status == "rejected"
            await story.review.approve(id)
            assert await facts(story) == ["Alice lives in Rome."]
            with pytest.raises(EarwitnessError, match="was approved"):
                await story.review.reject(id)
            await story.retract(f"review-{id}-0")
            for number in range(20):
                if await story.has(key := f"review-{id}-decision{number}"):
                    await story.retract(key)
            assert (await story.review.get(id)).status == "waiting"


async def test_whoever_may_not_read_the_queue_may_still_propose(tmp_path: Path) -> None:
    async with opened(tmp_path) as ew:
        story = await begun(ew)
        for number, write in enumerate(("review", "auto")):
            await story.review.acting(role="player").submit(proposal(f"Fact {number}."), write)
        assert await facts(story) == ["Fact 1."]
