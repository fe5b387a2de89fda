"""A person talks with the cast: START, MIDDLE and END of each answer.

What the person says is in the journal before anybody is asked to answer. An answer is in it once it is whole.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import aclosing
from secrets import token_hex

from anyio import CancelScope

from earwitness import Earwitness, Session, SettledMessage, Usage
from earwitness.errors import InputError, quoted
from earwitness.outcome import Outcome
from earwitness.turn import Turn
from earwitness_plugins.applications.stories.events import MessagePlayed
from earwitness_plugins.applications.stories.player import message_played
from earwitness_plugins.models.accounts import Account
from earwitness_plugins.models.client import ModelClient
from earwitness_plugins.models.errors import ModelError
from earwitness_plugins.models.host_account import host_account
from earwitness_plugins.models.records import ChatMessage

from .partners import NOT_ASKED, partners
from .settings import ChatSettings
from .spoken_text import SpokenText

PROMPT = "chat"
ANSWER = "answer-"
"""How the keys of answers begin."""
BY = "host:chat"
"""Who has made the calls, in reports."""
Show = Callable[[str], None]


class StoryChat:
    """A person in a story. One call at a time."""

    def __init__(self, ew: Earwitness, story: Session, person: str) -> None:
        """Raises `SettingsError` without a table `[model]`."""
        self.story = story
        """Where the person talks: the story, or a role play that was begun in it."""
        self.person = person
        """Id of the one whom the person plays."""
        self.settings = ew.settings.table(ChatSettings)
        """The table `[chat]`."""
        self.detector_timeout = ew.settings.end.detector_timeout
        """Seconds in which it must be decided who hears a message."""
        self.answered: str | None = None
        """Id of whoever has answered last."""
        self._client = ModelClient.shared(ew.settings, ew.resources, ew.strategies)

    async def close(self) -> None:
        """Let go of the model."""
        await self._client.close()

    # ── the person ──────────────────────────────────────────────────────────────────────────────────────────────────

    async def say(self, text: str, *, to: str | None = None) -> MessagePlayed:
        """What the person says, or whispers `to` somebody alone. It is in the journal when somebody is asked who heard
        it. Raises `InputError`, `StorageError`."""
        where = self.story.state.whereabouts.get(self.person)
        if where is not None and not where.here and where.place is None:
            raise InputError("you are not here, so nobody would hear you. /enter comes back.")
        if to is None:
            return await self._played(await self.story.say(self.person, text))
        self.refuse_absent(to)
        whispered = f"*whispers to {self.story.cast[to].name}* {text}"
        return await self._played(await self.story.say(self.person, whispered, audience=[to]))

    def refuse_absent(self, character: str) -> None:
        """Raise `InputError` for somebody who, as the story says, is elsewhere than the person."""
        known = self.story.state.whereabouts
        mine, theirs = known.get(self.person), known.get(character)
        if theirs is None or theirs.here or (mine and mine.place is not None and mine.place == theirs.place):
            return
        name = self.story.cast[character].name
        raise InputError(f"{name} is not here. /enter {name} lets them come in.")

    async def edit(self, text: str) -> MessagePlayed:
        """The person's last message in other words. What reached only some of those there stays with those who heard
        all of it, whatever the new words are. Raises `InputError` where there is none."""
        mine = await self.story.messages(speaker=self.person, limit=1)
        if not mine:
            raise InputError("you have said nothing yet that could be edited.")
        old = mine[-1]
        mark, found, _ = old.content.partition("* ")
        kept = f"{mark}* " if found and mark.startswith("*whispers to ") and old.message.audience else ""
        return await self._played(await self.story.edit(old.key, kept + text, audience=self._kept_to(old)), "edit")

    def _kept_to(self, old: SettledMessage) -> list[str] | None:
        """Those who heard all of a message that missed somebody who was there, or may have been; `None` where it missed
        nobody, and where it says itself whom it is for."""
        cast, known, at = self.story.cast, self.story.state.whereabouts, old.message.sequence
        there = {id for id, where in known.items() if where.here or where.since > at} - {*cast.narrators}
        if old.message.audience is not None or not (old.heard or there - {*old.participants, self.person}):
            return None
        return [id for id in old.participants if id != self.person and id not in old.heard]

    async def partners(self) -> tuple[str, ...]:
        """Ids of those who answer the person's last message; see `partners`."""
        last = await self._last()
        if last is None or last.speaker != self.person:
            return ()
        return partners(
            last,
            self.story.cast,
            person=self.person,
            last=self.answered or self._partner(),
            number=self.settings.answers,
        )

    def refused_partner(self) -> str | None:
        """Why the `partner` of the settings answers nothing in this story; `None` if there is none, or they may."""
        if self.settings.partner is None or self._partner() in (able := self._able()):
            return None
        names = ", ".join(self.story.cast[id].name for id in able) or "nobody"
        return (
            f"[chat] partner = {quoted(self.settings.partner)} names nobody who answers in this story, so that whoever "
            f"hears you first will. Who may answer: {names}."
        )

    # ── an answer ───────────────────────────────────────────────────────────────────────────────────────────────────

    async def answer(self, character: str, show: Show) -> MessagePlayed:
        """A character says something. `show` gets it piece by piece; cancelled, nothing of it was said.

        A whisper is answered in a whisper. Raises `ModelError`, `EarwitnessError`.
        """
        last, key = await self._last(), f"{ANSWER}{token_hex(8)}"
        turn = await self._turn(character, None)
        text = await self._asked(turn, key, show)
        with CancelScope(shield=True):  # what is whole is said
            played = await self._played(await turn.say(text, key=key, audience=_whispered_back(last, character)))
        self.answered = character
        return played

    async def last_answer(self) -> str | None:
        """Id of whoever has given the answer that is the last message; `None` if that is not an answer."""
        last = await self._last()
        return last.speaker if last is not None and last.key.startswith(ANSWER) else None

    async def reroll(self, show: Show) -> MessagePlayed:
        """Another answer in place of the last message. Raises as `answer`, and `InputError` if that is none."""
        last = await self._last()
        if last is None or not last.key.startswith(ANSWER):
            raise InputError("the last message is not an answer, so there is none to replace.")
        turn = await self._turn(last.speaker, last.key)
        text = await self._asked(turn, last.key, show)
        with CancelScope(shield=True):
            played = await self._played(await self.story.reroll(text, key=last.key), "reroll")
        self.answered = last.speaker
        return played

    async def _turn(self, character: str, before: str | None) -> Turn:
        """START. Everybody who perceived what was said last remembers it then."""
        given = self.settings
        return await self.story.turn(
            character, before=before, last=given.last, memories=given.memories, permanent=given.permanent
        )

    async def _asked(self, turn: Turn, key: str, show: Show) -> str:
        """MIDDLE: what the character says. Raises `ModelError`, also for an answer without words."""
        cast, account = self.story.cast, await self._account(key)
        speaker = cast[turn.character]
        spoken = SpokenText(speaker.names, _names(each.names for each in cast if each.id != speaker.id))
        try:
            async with aclosing(self._pieces(turn, speaker.name, account)) as pieces:
                async for piece in pieces:
                    show(spoken.add(piece))
                    if spoken.ended:
                        break
            show(spoken.rest())
        finally:
            with CancelScope(shield=True):
                await self._note(account.usage)
        if not spoken.text:
            raise ModelError(f"the model's answer holds no words of {speaker.name}'s: {quoted(spoken.given)}.")
        return spoken.text

    async def _note(self, usage: Usage | None) -> None:
        """Count what was asked among the story's costs, an answer that was cut short, too."""
        if usage is not None:
            await self.story.backstage(role="owner").note_usage(BY, usage)

    async def _pieces(self, turn: Turn, name: str, account: Account) -> AsyncGenerator[str, None]:
        prompt = self._client.prompt(PROMPT)
        system, user = prompt.messages(character=name)
        messages = [ChatMessage.model_validate(each) for each in turn.prompt(system.content, user.content)]
        limit, temperature = self.settings.timeout, self.settings.temperature
        asked = self._client.stream(account, messages, prompt=prompt, limit=limit, temperature=temperature)
        async with aclosing(asked) as pieces:
            async for piece in pieces:
                yield piece

    async def _account(self, key: str) -> Account:
        """The account for one answer. What earlier chats have spent in the story counts, too."""
        return await host_account(self._client, self.story, BY, turn=key)

    # ── what became of it ───────────────────────────────────────────────────────────────────────────────────────────

    async def _played(self, outcome: Outcome, kind: str = "say") -> MessagePlayed:
        """Who perceived it."""
        decided = await outcome.decided()
        if decided.message is None:
            raise InputError("that message was retracted meanwhile.")
        return message_played(decided, decided.message, self.story.cast, kind)  # type: ignore[arg-type]

    async def _last(self) -> SettledMessage | None:
        return next(iter(await self.story.messages(limit=1)), None)

    def _able(self) -> tuple[str, ...]:
        """Ids of those for whom the model may speak."""
        return tuple(each.id for each in self.story.cast if each.kind not in NOT_ASKED and each.id != self.person)

    def _partner(self) -> str | None:
        """Who answers where nobody has answered yet."""
        found = self.story.cast.resolve(self.settings.partner) if self.settings.partner else None
        return found.id if found else None


def _whispered_back(last: SettledMessage | None, character: str) -> list[str] | None:
    """Who hears the answer to what was told to some alone; `None` where everybody may."""
    if last is None or last.message.audience is None or character not in last.participants:
        return None
    return [id for id in last.participants if id != character]


def _names(found: Iterable[Iterable[str]]) -> list[str]:
    return [name for names in found for name in names]
