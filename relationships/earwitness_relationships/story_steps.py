"""Steps that relationships add to story files: `relate`, `close_conversation`, `bubble` and `end_bubble`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from earwitness import Channel
from earwitness.errors import unknown
from earwitness.records.channel import Context
from earwitness.story_steps import PackageStep, StoryStage

from .bubble_mark import KnownInside
from .canon.bubbles import links
from .canon.records import KeepAs, Mode

CLOSED = "story_steps"
"""Facts that say which steps have closed a conversation."""


class RelateStep(PackageStep):
    """What one is to another from now on: `relate: {source: bob, target: mira, type: FRIEND_OF}`."""

    table: ClassVar[str | None] = "relationships"
    source: str
    """Personality id; by default that of a character is the character's id."""
    target: str
    """Personality id."""
    type: str
    """What the source is to the target."""
    weight: float = 1.0
    """How strong it is."""
    since: float | None = None
    """The game day from which on. Default: today."""
    until: float | None = None
    """The last game day. Default: it stays."""
    mutual: bool = False
    """Whether the target is the same to the source."""
    pantheon: str | None = None
    """The pantheon whose rules it is for."""

    async def play(self, stage: StoryStage) -> str:
        """Relate them in this story."""
        if not await stage.session.has(stage.key):
            said = self.model_dump(exclude={"source", "target", "type"})
            relationships = stage.session.relationships
            await (await relationships.relate(self.source, self.target, self.type, **said, key=stage.key)).settled()
        return f"{self.source} is {self.type} to {self.target}" + (", and the other way round" if self.mutual else "")


class CloseConversationStep(PackageStep):
    """A conversation ends, and is told on: `close_conversation: "1042"`."""

    table: ClassVar[str | None] = "relationships"
    short: ClassVar[str | None] = "channel"
    channel: str | None = None
    """The host's id of the channel. Default: the unnamed one."""
    context: Context | None = None
    """What it is, if other channels have the same id: `dm`, `private_channel` or `public_channel`. By default, it
    is a private channel if a guild or persona is given."""
    guild_id: str | None = None
    """The host's id of its guild."""
    persona_id: str | None = None
    """The persona of a direct message."""

    async def play(self, stage: StoryStage) -> str:
        """Tell what was said in it to whom rules name."""
        session = stage.session
        if await session.has(stage.key):
            return "the conversation is closed"
        closed = await session.close_conversation(self._which())
        await (await session.change(facts={CLOSED: [stage.key]}, key=stage.key)).settled()
        return f"the conversation is closed, and told to {', '.join(closed.told) or 'nobody'}"

    def _which(self) -> Channel | str | None:
        if self.context is None and self.guild_id is None and self.persona_id is None:
            return self.channel
        ids = {"channel_id": self.channel, "guild_id": self.guild_id, "persona_id": self.persona_id}
        return Channel(context=self.context or "private_channel", **ids)


class BubbleStep(PackageStep):
    """What follows happens in a bubble, from which nothing leaks: `bubble: vampire-au`."""

    table: ClassVar[str | None] = "relationships"
    short: ClassVar[str | None] = "name"
    name: str
    """The bubble's name."""
    knows: tuple[KnownInside, ...] = ("cards", "global")
    """What of the story is known in it."""

    def problem(self, before: Sequence[PackageStep]) -> str | None:
        """A bubble ends once, and begins in the story itself."""
        if any(isinstance(each, EndBubbleStep) and each.name == self.name for each in before):
            return f"the bubble {self.name!r} has ended at an earlier step. Begin another, under a name of its own."
        inside = [name for name in open_bubbles(before) if name != self.name]
        return f"the bubble {inside[0]!r} is still open: end it first, with `end_bubble`." if inside else None

    def session_id(self, story: str) -> str:
        """The id of the bubble's session."""
        return f"{story}~{self.name}"

    async def play(self, stage: StoryStage) -> str:
        """Begin the bubble, or go on with it."""
        bubbles = stage.session.bubble
        if self.name in links(stage.session):
            stage.begin(await bubbles.session(self.name))
        else:
            stage.begin((await bubbles(self.name, knows=self.knows)).session)
        return f"in the bubble {self.name!r}"


class EndBubbleStep(PackageStep):
    """The bubble ends, and the story goes on: `end_bubble: vampire-au`."""

    table: ClassVar[str | None] = "relationships"
    short: ClassVar[str | None] = "name"
    name: str
    """The bubble's name."""
    keep_as: KeepAs | None = None
    """As what its memories are kept: `personal` or `global` canon, or `discard`. Default: that is decided later."""
    mode: Mode = "append"
    """How they are kept beside what is there: `append` or `replace`."""

    def problem(self, before: Sequence[PackageStep]) -> str | None:
        """Only an open bubble can end."""
        inside = open_bubbles(before)
        return None if self.name in inside else f"{unknown('open bubble', self.name, inside)}"

    async def play(self, stage: StoryStage) -> str:
        """End it, if it has not ended before."""
        stage.end()
        if links(stage.session).get(self.name, "open") == "open":
            bubble = await stage.session.bubble(self.name)
            await bubble.end(keep_as=self.keep_as, mode=self.mode)
        return f"the bubble {self.name!r} has ended"


def open_bubbles(before: Sequence[PackageStep]) -> list[str]:
    """Names of the bubbles that are open after these steps."""
    names: dict[str, None] = {}
    for each in before:
        if isinstance(each, BubbleStep):
            names[each.name] = None
        elif isinstance(each, EndBubbleStep):
            names.pop(each.name, None)
    return list(names)
