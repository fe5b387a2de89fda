"""One request and its answer: the story is brought up to date, the character recalls, and the answer is reported."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any
from weakref import WeakValueDictionary

import anyio

from earwitness import Channel, Character, Earwitness
from earwitness.display_names import usable_name
from earwitness.errors import InputError, KeyConflict, UnknownName
from earwitness.formats import PLACEHOLDERS, as_said
from earwitness.records.character import Cast
from earwitness.records.message import SettledMessage
from earwitness.records.usage import ModelCall
from earwitness.session import Session
from earwitness.turn import Turn

from .address import ChatAddress
from .compare import ComparedLine, Comparison, compare
from .keys import free_key
from .lines import (
    ChatLine,
    alike,
    asks_for_more,
    asks_for_user,
    by_other_personas,
    chat_lines,
    gone_on_with,
    plain_name,
    without_name,
)
from .settings import ProxySettings

SPARE = 64
"""Messages of the story that are read beyond as many as the request has lines."""
SYSTEM = ("system", "developer")
_log = logging.getLogger("earwitness.proxy")
PromptMessages = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Exchange:
    """A request that is ready for the model, and what is to become of the answer."""

    story: Session
    """The story."""
    turn: Turn
    """What is recalled, and whose turn it is."""
    messages: PromptMessages
    """What the model is sent."""
    key: str = ""
    """Key of the answer, if it is a message of its own."""
    replaces: str | None = None
    """Key of the message that the answer stands in for."""
    goes_on: SettledMessage | None = None
    """The message that the answer goes on with."""
    remembered: bool = True
    """Whether the answer is a message of the story."""
    gone: Sequence[str] = ()
    """Keys of what the chat no longer has, newest first. It is retracted once the answer has come whole."""

    async def answered(self, text: str, call: ModelCall | None = None) -> str | None:
        """END: report a whole answer, durable on return. Returns its key; `None` if it is not a message of the story.

        The `call` that gave it stays with the message, as `calls` in its metadata; those of what it goes on with stay
        there, too. Raises `StorageError`, `InputError`.
        """
        if not self.remembered or not as_said(text).strip():
            return None
        key = await self._said(text, call)
        for each in self.gone:
            await self.story.retract(each)
        if self.gone:
            what = "story %r: %s messages that the chat lacks were retracted. fork(…, at=%r) copies it with them."
            _log.warning(what, self.story.id, len(self.gone), self.gone[0])
        return key

    async def _said(self, text: str, call: ModelCall | None) -> str:
        calls = [] if call is None else [call.model_dump(mode="json", exclude_defaults=True)]
        if (before := self.goes_on) is not None:
            whole, earlier = gone_on_with(before.content, text), before.message.metadata.get("calls")
            made = {"calls": [*(earlier if isinstance(earlier, list) else ()), *calls]}
            return (await self.story.edit(before.key, whole, metadata=made if calls else None)).key
        said = without_name(text, self.story.cast.name_of(self.turn.character))
        metadata = {"calls": calls} if calls else None
        if self.replaces is not None:
            await self.story.reroll(said, key=self.replaces, metadata=metadata)
            return self.replaces
        try:
            await self.story.say(self.turn.character, said, key=self.key, metadata=metadata, in_turn=True)
        except KeyConflict:  # another proxy has answered the same request
            await self.story.reroll(said, key=self.key, metadata=metadata)
        return self.key


@dataclass(frozen=True)
class ChatReading:
    """A request as it is read against the story."""

    answers: str
    """Id of the character who answers."""
    user: str
    """Id of the user's persona."""
    lines: Sequence[ChatLine]
    """The chat in the request."""
    known: Sequence[SettledMessage]
    """The newest messages of the story."""
    found: Comparison
    """How the two compare."""
    in_group: bool
    """Whether several characters may have said the lines."""

    @property
    def gone(self) -> list[SettledMessage]:
        """Messages at the end of the story that the chat no longer has."""
        return [self.known[each] for each in self.found.gone]

    @property
    def kept(self) -> dict[str, SettledMessage]:
        """The newest messages of the story that the chat does not lack at its end, by key."""
        gone = set(self.found.gone)
        return {each.key: each for number, each in enumerate(self.known) if number not in gone}

    @property
    def keys(self) -> dict[int, str]:
        """Line → key of its message."""
        return {line: self.known[message].key for line, message in self.found.known.items()}

    def speaker(self, line: ChatLine) -> str | None:
        """Who says a new line; `None` where nobody can know."""
        if line.user:
            return self.user
        return line.name or (None if self.in_group else self.answers)


class Exchanges:
    """Begins exchanges. Those of one story go one after the other, each with the story's lock."""

    def __init__(self, ew: Earwitness, settings: ProxySettings) -> None:
        self._ew, self._settings = ew, settings
        self._locks: WeakValueDictionary[str, anyio.Lock] = WeakValueDictionary()
        self._reported: deque[tuple[str, str | None, float]] = deque(maxlen=1_000)
        self._gone: dict[str, Collection[str]] = {}

    def lock(self, session: str) -> anyio.Lock:
        """Held from a request to its answer."""
        found = self._locks.get(session)
        if found is None:
            found = self._locks[session] = anyio.Lock()
        return found

    async def begin(self, address: ChatAddress, messages: PromptMessages, arrived: float) -> Exchange:
        """START and MIDDLE. `arrived` is when the request came, by `time.monotonic`.

        Raises `InputError`, `UnknownName`, `StorageError`.
        """
        story = await self._story(address)
        reading = await self._read(story, address, messages)
        for_user = address.action == "user" or (address.action == "auto" and asks_for_user(messages))
        if address.action == "none" or for_user:
            turn = await story.turn(reading.user if for_user else reading.answers)
            return Exchange(
                story, turn, await self._filled(story, turn, messages, reading, reading.keys), remembered=False
            )
        again, before, gone = self._taken_back(story, reading, arrived)
        told = await _told(story, reading)
        keys = reading.keys | told
        wants_more = address.action == "continue" or asks_for_more(messages)
        goes_on = await _last_of(story, reading, keys) if wants_more and again is None else None
        turn = await _turn(story, reading, before, list(keys.values()))
        filled = await self._filled(story, turn, messages, reading, keys)
        last = told[max(told)] if told else next(reversed(reading.kept), None)
        key = await free_key(story, reading.kept, last, reading.answers, gone=gone)
        return Exchange(story, turn, filled, key, again, goes_on, gone=gone)

    async def answered(self, exchange: Exchange, text: str, call: ModelCall | None = None) -> None:
        """END; see `Exchange.answered`."""
        key = await exchange.answered(text, call)
        self._reported.append((exchange.story.id, key, monotonic()))
        if key is not None:
            self._gone.pop(exchange.story.id, None)

    async def _story(self, address: ChatAddress) -> Session:
        """The story, with everybody in it who takes part. Raises `InputError`."""
        try:
            story = await self._ew.open_session(address.session)
        except UnknownName:
            cast = [_newcomer(name, address) for name in address.everybody]
            return await self._ew.session(address.session, cast=cast, present=[each.id for each in cast])
        strangers = [name for name in address.everybody if not story.cast.called(name)]
        if strangers:
            await story.join(*(_newcomer(name, address) for name in strangers))
            await story.enter(*strangers)
        return story

    async def _read(self, story: Session, address: ChatAddress, messages: PromptMessages) -> ChatReading:
        answers, user = story.cast.named(address.character).id, story.cast.named(address.user).id
        group = {answers, *(story.cast.named(each).id for each in address.cast)}

        def one_of(ids: set[str], name: str) -> str | None:
            found = story.cast.resolve(name)
            return found.id if found is not None and found.id in ids else None

        named = {plain_name(story.cast.name_of(each)): each for each in group}
        lines = chat_lines(
            messages,
            user=lambda name: one_of({user}, name),
            group=lambda name: one_of(group - {user}, name) or named.get(name),
        )
        limit = len(lines) + SPARE
        known = await story.messages(limit=limit)
        personas = {each.id for each in story.cast if each.kind == "persona"}
        told = [(each.message.speaker, _compared(story.cast, each)) for each in known]
        lines = list(by_other_personas(lines, lambda name: one_of(personas, name), told))
        chat = [ComparedLine(each.user, alike(each.text)) for each in lines]
        story_lines = [ComparedLine(speaker in personas, text) for speaker, text in told]
        gone = self._gone.get(story.id, ())
        found = compare(
            story_lines,
            chat,
            whole=len(known) < limit,
            again=address.action == "reroll",
            deleted=[number for number, each in enumerate(known) if each.key in gone],
            most=self._settings.retract_at_most,
            most_edited=self._settings.edit_at_most,
        )
        if found.doubted:
            what = "story %r: the chat has quite other words for %s messages of it; they keep theirs (edit_at_most)."
            _log.warning(what, story.id, len(found.doubted))
        return ChatReading(answers, user, lines, known, found, len(group - {user}) > 1)

    def _taken_back(
        self, story: Session, reading: ChatReading, arrived: float
    ) -> tuple[str | None, str | None, list[str]]:
        """Keys: of the answer that is asked for again, of the message before which is recalled, and of what is to be
        retracted, newest first.

        What an unanswered request has shown to be deleted stays known, also where new lines come after it.
        """
        late = {key for session, key, at in self._reported if session == story.id and at > arrived}
        gone = [each for each in reading.gone if each.message.speaker == reading.answers or each.key not in late]
        again = gone[:1] if gone and not reading.found.new and gone[0].message.speaker == reading.answers else []
        shown = self._gone.get(story.id, ())
        missing = [reading.known[each].key for each in reading.found.missing]
        if self._settings.missing == "kept":
            missing = [each for each in missing if each in shown]
        left = len(reading.found.left)
        if len(missing) + len(gone) > self._settings.retract_at_most + len(again):
            left, missing = left + len(missing), []
        if left:
            _log.warning("story %r: the chat lacks messages of it (%s); they are kept.", story.id, left)
        keys = [*missing, *(each.key for each in gone[len(again) :])][::-1]
        if keys:
            self._gone[story.id] = {*keys, *(each.key for each in again)}
        return (again[0].key if again else None), (gone[0].key if gone else None), keys

    async def _filled(
        self, story: Session, turn: Turn, messages: PromptMessages, reading: ChatReading, keys: Mapping[int, str]
    ) -> PromptMessages:
        shown = list(messages)
        if self._settings.history == "perceived":
            shown = await _perceived(story, turn, messages, reading, keys)
        placeholders = (*PLACEHOLDERS, *self._ew.settings.fill.placeholders)
        prompts = [str(each.get("content")) for each in shown if each.get("role") in SYSTEM]
        if not any(word in text for word in placeholders for text in prompts):
            shown.insert(0, {"role": "system", "content": PLACEHOLDERS[0]})
        filled = turn.fill(shown)
        left = [each for each in filled if each.get("content") or each.get("role") not in SYSTEM]
        return left or [{"role": "system", "content": f"You are {story.cast.name_of(turn.character)}."}]


async def _told(story: Session, reading: ChatReading) -> dict[int, str]:
    """Tell the story what was changed and what is new. Returns the keys of new lines."""
    keys = reading.keys
    for each in reading.found.edited:
        await story.edit(keys[each], reading.lines[each].text)
    new = [(each, speaker) for each in reading.found.new if (speaker := reading.speaker(reading.lines[each]))]
    said: list[dict[str, str]] = []
    last = next(reversed(reading.kept), None)
    for each, speaker in new:
        text = reading.lines[each].text
        last = await free_key(story, reading.kept, last, speaker, text, gone=[each.key for each in reading.gone])
        said.append({"speaker": speaker, "content": text, "key": last})
    outcomes = await story.say_all(said) if said else []
    return {each: outcome.key for (each, _), outcome in zip(new, outcomes, strict=True)}


async def _turn(story: Session, reading: ChatReading, before: str | None, in_prompt: Sequence[str]) -> Turn:
    """Whose turn it is, and what is recalled as before the first message that the chat no longer has."""
    new = [reading.lines[each].text for each in reading.found.new]
    query = "\n".join(new) if before and new else None
    try:
        return await story.turn(reading.answers, before=before, query=query, in_prompt=in_prompt)
    except InputError:  # who answers has joined since
        return await story.turn(reading.answers, in_prompt=in_prompt)


async def _last_of(story: Session, reading: ChatReading, keys: Mapping[int, str]) -> SettledMessage | None:
    """The message that the chat ends with, if the character who answers has said it."""
    last = keys.get(len(reading.lines) - 1)
    newest = await story.messages(limit=len(reading.known) + len(keys)) if last else ()
    found = next((each for each in newest if each.key == last), None)
    return found if found is not None and found.message.speaker == reading.answers else None


async def _perceived(
    story: Session, turn: Turn, messages: PromptMessages, reading: ChatReading, keys: Mapping[int, str]
) -> list[Mapping[str, Any]]:
    """The request without what whoever's turn it is did not perceive, and with the rest as it was perceived.

    Nobody is known to have perceived a line that is neither a message of the story nor new: it is left out, too. A new
    line that the story is not told is judged as if it were said now.
    """
    newest = len(reading.known) + len(keys) + SPARE
    heard = await story.messages(limit=newest, heard_by=turn.character, channel=Channel())
    texts = {each.key: each.content for each in heard}
    shown: dict[int, Mapping[str, Any] | None] = dict(enumerate(messages))
    placed = {*keys, *reading.found.new}
    shown |= {line.place: None for number, line in enumerate(reading.lines) if number not in placed}
    perceived = {number: texts.get(key) for number, key in keys.items()}
    for number in reading.found.new:
        line = reading.lines[number]
        if number not in keys and (speaker := reading.speaker(line)):
            perceived[number] = await _would_hear(story, turn.character, speaker, line.text)
    for number, text in perceived.items():
        line = reading.lines[number]
        if text is None:
            shown[line.place] = None
        elif alike(text) != alike(line.text):
            shown[line.place] = {**messages[line.place], "content": line.prefix + text}
    return [each for each in shown.values() if each is not None]


async def _would_hear(story: Session, character: str, speaker: str, text: str) -> str | None:
    """What a character would hear if this were said now; `None` for nothing."""
    if character == speaker:
        return text
    said = await story.backstage().preview(speaker, text)
    return said.heard.get(character, text) if character in said.participants else None


def _compared(cast: Cast, message: SettledMessage) -> str:
    """A message's text as it is compared."""
    return alike(without_name(message.content, cast.name_of(message.message.speaker)))


def _newcomer(name: str, address: ChatAddress) -> Character:
    shown = usable_name(name)
    return Character(name, name=shown, kind="persona" if name == address.user else "character")
