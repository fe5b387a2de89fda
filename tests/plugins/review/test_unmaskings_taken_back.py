"""A proposal that names somebody falls when the unmasking that showed who that is was taken back."""

from __future__ import annotations

from pathlib import Path

from earwitness import Character, Derivation, Earwitness
from earwitness_plugins.review import Proposal


async def test_it_falls_if_it_names_him_and_waits_on_if_not(tmp_path: Path) -> None:
    async with Earwitness.open(tmp_path / "s.db", strict=True) as ew:
        cast = [Character("count", name="Count Fosco"), Character("bob")]
        story = await ew.session("s1", cast=cast, present=["count", "bob"])
        await story.say("count", "I have bought the mill.", key="m1", speak_as="Roux")
        await story.unmask("count", audience=["bob"], key="u")
        await story.delivered()
        (mill,) = [each.id for each in (await story.backstage().inspect("bob")).memories if "mill" in each.content][:1]
        for text in ("Fosco has bought the mill.", "The mill is sold."):
            made = Derivation(content=text, owner="bob", type="summary", rests_on=(mill,))
            proposal = Proposal(
                kind="summary", text=text, rests_on=(mill,), memories=(made,), by="test", identity=(text,)
            )
            await story.review.submit(proposal, "review")
        assert len(await story.review.waiting()) == 2
        await story.retract("u")
        await story.delivered()
        assert [each.proposal.text for each in await story.review.waiting()] == ["The mill is sold."]
