"""What the lines of a chat export say of those whose copies a guard struck."""

import json
from collections.abc import Iterable
from pathlib import Path

from earwitness import Earwitness, Settings
from earwitness.events import PlanEvent, ReadEvent, Strike
from earwitness.filters import EVERYTHING, Filter
from earwitness.testing.scripted import ByScript
from earwitness_plugins.applications.exports.chat import chats
from earwitness_plugins.applications.exports.story_messages import story_messages


class NotBob:
    """A guard that keeps from Bob what is secret."""

    def filter(self, event: ReadEvent) -> Filter:
        return EVERYTHING

    def strike(self, event: PlanEvent) -> Iterable[Strike]:
        his = [each for each in event.plan.deliveries if each.owner == "bob" and "secret" in each.body]
        return [Strike(delivery_id=each.id, reason="not for Bob") for each in his]


async def test_whoever_a_guard_kept_a_message_from_does_not_perceive_its_line(tmp_path: Path) -> None:
    settings = Settings.of(plugins=[], embedder="none", world_agent="none")
    parts = {"detector": ByScript(), "guards": [NotBob()]}
    async with Earwitness.open(tmp_path / "s.db", settings=settings, **parts) as ew:  # type: ignore[arg-type]
        story = await ew.session("s1", cast=["alice", "bob", "charlie"], present=["alice", "bob", "charlie"])
        await story.say("alice", "A secret.", key="m1")
        await story.say("alice", "A secret. {thinks: Hm.}", key="m2")
        await story.say("alice", "Good day.", key="m3")
        await story.settled()
        found = await story_messages(story)
        _, chat = chats((), found, story.id, story.cast)
        lines = [json.loads(line) for line in (chat or b"").decode().splitlines()[1:]]
    marks = [each["extra"]["earwitness"] for each in lines]
    heard = [each.get("audience", each.get("present")) for each in marks]
    assert heard == [["Charlie"], ["Charlie"], ["Bob", "Charlie"]]
    assert ["audience" in each for each in marks] == [True, False, True]
    assert [found[key].forgotten_by for key in ("m1", "m3")] == [("bob",), ()]
