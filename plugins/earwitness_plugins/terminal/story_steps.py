"""The events of a story, for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import singledispatchmethod

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

from earwitness.records.channel import Channel
from earwitness_plugins.applications.stories import events

from .memories import dated, knowledge, recollection, summary
from .people import People, plain

SAID = {"say": "", "edit": " (edited)", "reroll": " (once more)"}
WHERE = {"dm": "direct message", "private_channel": "", "public_channel": "in public"}
AGAIN = "Played here before: only new steps are told; recalls know how it ended."


class StoryLook:
    """Renders the events of a story."""

    def __init__(self, people: People) -> None:
        self.people = people

    @singledispatchmethod
    def render(self, step: events.StoryEvent) -> RenderableType:
        """The event, for a terminal."""
        return Text(plain(repr(step)))

    @render.register
    def _(self, step: events.StoryBegun) -> RenderableType:
        lines: list[RenderableType] = [Rule(Text(plain(step.title), style="bold"), style="dim")]
        if step.plot:
            lines.append(Text(plain(step.plot), style="italic"))
        if step.again:
            lines.append(Text(AGAIN, style="yellow"))
        return Group(*lines)

    @render.register
    def _(self, step: events.NotePlayed) -> RenderableType:
        return Text(f"\n{plain(step.text)}\n", style="italic dim")

    @render.register
    def _(self, step: events.ActPlayed) -> RenderableType:
        return Text.assemble("✦ ", (f"{plain(step.name)}: ", "dim"), plain(step.text))

    @render.register
    def _(self, step: events.MessagePlayed) -> RenderableType:
        mask = "" if step.speak_as is None else f" (as {plain(step.speak_as)})"
        aside = mask + SAID[step.kind] + _where(step.channel)
        said = Text.assemble(self.people.name(step.speaker, bold=True), (aside, "dim"), "  ", plain(step.text))
        return Group(said, *self.reception(step))

    def reception(self, step: events.MessagePlayed, person: str | None = None) -> list[RenderableType]:
        """Who heard a message, what news came with it, and what failed, in lines below it. `person` watches."""
        heard = Padding(self.people.heard(step.participants, step.addressees, person), (0, 0, 0, 4))
        failed = [Padding(Text(f"! {plain(failed)}", style="red"), (0, 0, 0, 4)) for failed in step.failures]
        return [heard, *self._news(step.knowledge), *failed]

    def _news(self, knowledge: Mapping[str, Sequence[str]]) -> list[RenderableType]:
        """A line for each piece of news, with everybody who remembers it from now on."""
        listeners: dict[str, list[str]] = {}
        for id, shown in knowledge.items():
            for line in shown:
                listeners.setdefault(line, []).append(id)
        return [self._remembered(line, ids) for line, ids in listeners.items()]

    def _remembered(self, line: str, ids: Sequence[str]) -> RenderableType:
        """The news comes first: it may be about the one who learns it."""
        news = Text.assemble("✦ ", dated(line, self.people), ("  remembered by ", "dim"), self.people.names(ids))
        return Padding(news, (0, 0, 0, 4))

    @render.register
    def _(self, step: events.ChangePlayed) -> RenderableType:
        lines = [] if step.kind == "update" else [self._happening(step)]
        for shown in step.updates:
            audience = Text("everybody") if shown.public else self.people.names(shown.audience)
            lines.append(Text.assemble("✦ ", dated(shown.text, self.people), ("  may be told to ", "dim"), audience))
        return Group(*lines)

    def _happening(self, step: events.ChangePlayed) -> Text:
        if step.channel is not None:
            return self._members(step.channel, step)
        who, several = self.people.names(step.characters), len(step.characters) > 1
        match step.kind:
            case "enter":
                return Text.assemble(("→ ", "dim"), who, (" come in" if several else " comes in", "dim"))
            case "leave":
                to = f", at {plain(step.place)}" if step.place else ""
                return Text.assemble(("← ", "dim"), who, (f"{' are' if several else ' is'} away{to}", "dim"))
            case "move":
                return Text.assemble(("→ ", "dim"), who, (f" goes to {plain(step.place or '')}", "dim"))
        return Text(f"── {self.people.day(step.day)} · {plain(step.scene)}", style="bold dim")

    def _members(self, channel: Channel, step: events.ChangePlayed) -> Text:
        at = f", at {plain(step.place)}" if step.place else ""
        who = self.people.names(step.characters) if step.characters else Text("nobody")
        return Text.assemble(("○ ", "dim"), (f"In{_where(channel)}{at}: ", "dim"), who)

    @render.register
    def _(self, step: events.RetractionPlayed) -> RenderableType:
        return Text(f"✗ the message {plain(step.key)!r} is retracted, with everything that rested on it", style="red")

    @render.register
    def _(self, step: events.UnmaskingPlayed) -> RenderableType:
        known = ("  known from now on to ", "dim")
        return Text.assemble("✦ ", dated(step.text, self.people), known, self.people.names(step.learners))

    @render.register
    def _(self, step: events.RecallPlayed) -> RenderableType:
        return recollection(step, self.people)

    @render.register
    def _(self, step: events.WhoKnowsPlayed) -> RenderableType:
        return Padding(knowledge(step, self.people), (1, 0))

    @render.register
    def _(self, step: events.StoryEnded) -> RenderableType:
        return Padding(summary(step.memories, step.questions, self.people), (1, 0))


def _where(channel: Channel) -> str:
    """` (in public, channel 42, guild 7)`; nothing for a closed channel without a name."""
    ids = {"channel": channel.channel_id, "guild": channel.guild_id, "persona": channel.persona_id}
    parts = [WHERE[channel.context], *(f"{what} {plain(id)}" for what, id in ids.items() if id)]
    shown = ", ".join(filter(None, parts))
    return f" ({shown})" if shown else ""
