"""The loop of a chat: a line from the person, then whoever answers."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable
from functools import partial

import click
from anyio import CancelScope

from earwitness.errors import EarwitnessError, StorageError, quoted
from earwitness_plugins.applications.chat.chat import Show, StoryChat
from earwitness_plugins.applications.chat.role_play import RolePlays
from earwitness_plugins.applications.stories.events import MessagePlayed
from earwitness_plugins.models.errors import AnswerCut

from .chat_screen import ChatScreen
from .line_input import LineInput

STOPPED = "Stopped; nothing of the answer was said. /reroll asks again."
KEPT = "What you said is kept; /reroll asks again."
NOBODY = "Nobody who heard you is to answer. /who shows who is here; /next NAME lets somebody speak."
UNDECIDED = (
    "Who hears this could not be decided, so nobody else remembers it: the detector failed. Say it again; /reroll "
    "gives an answer again. If the detector needs more time, set detector_timeout in the table [end] of the settings "
    "(now {limit:g} seconds)."
)
HOW_TO_END = "/quit or Ctrl-D ends the chat."
Orders = Callable[[str, "ChatLoop"], Awaitable[None]]
"""Does what a line that begins with `/` asks for, given without the `/`."""


class ChatLoop:
    """A person at a terminal, in a chat."""

    def __init__(self, chat: StoryChat, screen: ChatScreen, orders: Orders) -> None:
        self.chat = chat
        """The chat."""
        self.screen = screen
        """Where it is shown."""
        self.role_plays = RolePlays(chat)
        """The role plays in it."""
        self.over = False
        """Whether the person wants to leave."""
        self.undecided = False
        """Whether something was heard by nobody because the detector failed."""
        self._orders = orders

    async def run(self, reader: LineInput) -> None:
        """Go on until the end of the input. Whatever fails is one line, and the chat goes on."""
        while not self.over:
            try:
                line = (await reader.line(self._prompt())).strip()
            except EOFError:
                return
            except KeyboardInterrupt:
                self.screen.note(HOW_TO_END)
                continue
            try:
                await (self._orders(line[1:], self) if line.startswith("/") else self.say(line))
            except click.ClickException as error:
                self.screen.failed(error.format_message())
            except (EarwitnessError, OSError) as error:
                self.screen.failed(str(error))

    async def say(self, text: str, *, to: str | None = None) -> None:
        """The person says or whispers it; whoever is spoken to answers."""
        if text and self.heard(await self.chat.say(text, to=to)):
            await self.answers()

    def heard(self, played: MessagePlayed) -> bool:
        """Show who heard a message. Returns whether that could be decided; if not, say what to do."""
        self.screen.heard(played)
        if decided := not _is_undecided(played):
            return decided
        self.undecided = True
        self.screen.failed(UNDECIDED.format(limit=self.chat.detector_timeout))
        return decided

    async def answers(self) -> None:
        """Everybody who is to answer the person's last message does."""
        who = await self.chat.partners()
        if not who:
            self.screen.note(NOBODY)
        for character in who:
            if not await self.answer(character):
                return

    async def answer(self, character: str) -> bool:
        """A character says something. Returns whether anything was said."""
        return await self._shown(character, partial(self.chat.answer, character))

    async def reroll(self, character: str) -> bool:
        """The character whose answer is the last message gives another. Returns whether anything was said."""
        return await self._shown(character, self.chat.reroll)

    async def _shown(self, character: str, asked: Callable[[Show], Awaitable[MessagePlayed]]) -> bool:
        """Ask, and show what comes of it. Ctrl-C ends the answer alone."""
        came: list[str] = []

        def show(piece: str) -> None:
            came.append(piece)
            self.screen.piece(character, piece)

        try:
            played = await _until_interrupted(partial(asked, show))
        except StorageError:
            raise
        except EarwitnessError as error:
            self.screen.failed(self._failure(character, error, "".join(came).strip()))
            return False
        if played is None:
            self.screen.failed(STOPPED)
            return False
        return self.heard(played)

    def _failure(self, character: str, error: EarwitnessError, came: str) -> str:
        """What to say where an answer was not given, or only the beginning `came` of it."""
        name = self.screen.people.called(character)
        if came and isinstance(error, AnswerCut):
            what, error = f"'s answer was cut off after {quoted(came)}, so nothing of it was said", error.why
        else:
            what = " does not answer"
        return f"{name}{what}: {str(error).rstrip('.')}. {KEPT}"

    def _prompt(self) -> str:
        inside = f"[{self.role_plays.name}] " if self.role_plays.name else ""
        return f"{inside}{self.screen.person}> "


def _is_undecided(played: MessagePlayed) -> bool:
    """Whether nobody but the speaker heard it, and the detector failed."""
    return (
        played.degraded
        and played.participants.keys() <= {played.speaker}
        and any(failure.startswith("detector:") for failure in played.failures)
    )


async def _until_interrupted(asked: Callable[[], Awaitable[MessagePlayed]]) -> MessagePlayed | None:
    """What was asked for; `None` if Ctrl-C came first."""
    loop, played = asyncio.get_running_loop(), None
    with CancelScope() as scope:
        before = signal.signal(signal.SIGINT, lambda *_: loop.call_soon_threadsafe(scope.cancel))
        try:
            played = await asked()
        finally:
            signal.signal(signal.SIGINT, before)
    return played
