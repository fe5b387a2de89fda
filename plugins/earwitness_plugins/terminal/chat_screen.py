"""A chat on a terminal: what is said as it comes, and who heard it below."""

from __future__ import annotations

from collections.abc import Iterable

import click
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from earwitness import SettledMessage
from earwitness_plugins.applications.chat.chat import StoryChat
from earwitness_plugins.applications.stories.events import MessagePlayed

from .context import CliContext
from .people import People, plain
from .story_steps import StoryLook

KEYS = "Ctrl-C stops an answer, of which nothing is said then. Ctrl-D ends the chat, as /quit does."


class ChatScreen:
    """Shows what happens in a chat. With `--json`, each thing is a line of JSON once it has happened."""

    def __init__(self, cli: CliContext, chat: StoryChat, look: StoryLook, *, typed: bool) -> None:
        """`typed` = what the person says is on the screen once it is typed."""
        self._cli, self._chat, self._look, self._typed = cli, chat, look, typed
        self._shown = ""  # of the answer that is coming

    @property
    def people(self) -> People:
        """The cast as it is now."""
        if self._look.people.cast != self._chat.story.cast:
            self._look.people = People(self._chat.story.cast, self._look.people.calendar)
        return self._look.people

    @property
    def person(self) -> str:
        """Name of the one whom the person plays."""
        return self.people.called(self._chat.person)

    def tell(self, data: object, shown: RenderableType) -> None:
        """Show that something has happened. Control characters in a plain text are replaced."""
        self._cli.answer(data, plain(shown) if isinstance(shown, str) else shown)

    def note(self, text: str) -> None:
        """Show a remark that is not part of the story."""
        click.echo(plain(text), err=self._cli.json)

    def recap(self, messages: Iterable[SettledMessage]) -> None:
        """Show what was said last, as the person heard it."""
        for each in () if self._cli.json else messages:
            name = self.people.name(each.speaker, bold=True)
            self._cli.console.print(Text.assemble(name, "  ", plain(each.content)), style="dim")

    def failed(self, what: str) -> None:
        """Show in one line what went wrong."""
        self.end_of_answer()
        click.echo(f"! {' '.join(plain(what).split())}", err=True)

    def piece(self, character: str, text: str) -> None:
        """Show a piece of an answer, the first with the name of whoever gives it."""
        if self._cli.json or not text:
            return
        shown = Text() if self._shown else self.people.name(character, bold=True).append("  ", style="none")
        self._shown += text
        self._cli.console.print(Text.assemble(shown, plain(text)), end="", soft_wrap=True)

    def end_of_answer(self) -> None:
        """Begin a new line if an answer is in the last one."""
        if self._shown:
            self._shown = ""
            click.echo()

    def heard(self, played: MessagePlayed) -> None:
        """Show who heard a message, and its text unless that is on the screen already."""
        known = (self._typed and played.speaker == self._chat.person) or self._shown == played.text
        self.end_of_answer()
        said = Text.assemble(self.people.name(played.speaker, bold=True), "  ", plain(played.text))
        lines: list[RenderableType] = [] if known else [said]
        lines += self._look.reception(played, self._chat.person)
        self._cli.answer(played.model_dump(mode="json"), Group(*lines))

    def help(self, orders: list[tuple[str, str]]) -> None:
        """Show what may be typed."""
        grid = Table.grid(padding=(0, 2))
        for usage, meaning in orders:
            grid.add_row(Text(usage, style="bold"), Text(meaning))
        said = Text("What you type is said in the story. A line that begins with / is for the chat:")
        self.tell({"orders": dict(orders)}, Group(said, Padding(grid, (0, 0, 0, 2)), Text(KEYS)))
