"""Role plays within a chat: bubbles of canon, from which nothing leaks until they are reconciled."""

from __future__ import annotations

from earwitness import Session
from earwitness.errors import InputError

from .chat import StoryChat


class RolePlays:
    """Begins, ends and reconciles the role plays of a chat."""

    def __init__(self, chat: StoryChat) -> None:
        self._chat = chat
        self._home = chat.story
        self.name: str | None = None
        """Name of the one that goes on; `None` = the chat is in the story itself."""

    async def start(self, name: str) -> tuple[Session, str | None]:
        """Begin one, or go on with it: the chat is in its session then. Whoever is here is there.

        Returns the session, and the status that the role play had if it was begun before: `open`, `ended`, `kept`,
        `discarded` or `gone`. Raises `InvalidId`, and `InputError` within another, or without a table
        `[relationships]`.
        """
        if self.name is not None:
            raise InputError(f"the role play {self.name!r} goes on. End it first, with /roleplay end.")
        before = {each.name: each.status for each in await self._home.canon.bubbles()}.get(name)
        bubble = await self._home.bubble(name)
        session: Session = bubble.session
        if not session.state.here:
            here = self._home.state.here or (self._chat.person,)
            await (await session.enter(*(id for id in here if id in session.cast))).decided()
        self._chat.story, self.name = session, name
        return session, before

    async def end(self) -> str:
        """End it: the chat is in the story again. Returns its name. Raises `InputError` where there is none."""
        if self.name is None:
            left = "".join(f" To go on with {each!r}: /roleplay start {each}" for each in await self.open())
            raise InputError(f"you are in no role play. Begin one with /roleplay start NAME.{left}")
        name = self.name
        await self._home.canon.end(name)
        self._chat.story, self.name = self._home, None
        return name

    async def reconcile(self, name: str, keep_as: str, *, apply: bool) -> tuple[str, bool]:
        """What becomes of its memories, in words, and whether that was done. Whoever chats acts as `owner`.

        Raises `InputError`, `UnknownName`.
        """
        if self.name == name:
            await self.end()
        done = await self._home.canon.acting(role="owner").reconcile(name, keep_as=keep_as, dry_run=not apply)
        return str(done), bool(done.applied)

    async def open(self) -> list[str]:
        """Names of those that were begun and not ended."""
        return [each.name for each in await self._home.canon.bubbles() if each.status == "open"]
