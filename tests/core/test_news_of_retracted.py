"""News of a message of which somebody's own copy was retracted."""

from pathlib import Path

from earwitness import Earwitness, Session


async def held(story: Session, id: str) -> str:
    await story.delivered()
    return "\n".join([each.content for each in (await story.backstage().inspect(id)).memories])


async def test_who_lost_a_message_is_not_told_of_it_as_news(tmp_path: Path) -> None:
    async with Earwitness.open(tmp_path / "story.db") as ew:
        story = await ew.session("s1", cast=["alice", "bob"], present=["alice", "bob"])
        await story.say("alice", "*picks up the XSWORD*", key="sword")
        assert "XSWORD" in await held(story, "bob")
        (own,) = (await story.backstage().inspect("bob")).memories
        await story.retract(own.id)
        await story.say("alice", "Good day.")
        assert "XSWORD" not in await held(story, "bob")
        assert "Alice picked up the XSWORD" in await held(story, "alice")
