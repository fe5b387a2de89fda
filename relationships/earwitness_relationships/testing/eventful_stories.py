"""The leak suite through stories in which much happens, each by the number of its case.

The same fact is said twice and told as one; some speak in disguise; lines are edited and retracted; conversations are
closed, and told as summaries; groups are read in hubs; something is said in a bubble; and a guard fails. After all that
nobody may recall a word that the references do not allow, nor who is behind a mask.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

from earwitness import Channel, Earwitness, Memory, PlanEvent, ReadEvent, Session, Strike
from earwitness.errors import StrategyError
from earwitness.filters import EVERYTHING, Filter

from ..propagation.records import Seed
from ..rules.records import RuleBook
from .cases import PEOPLE, PERSONA, HeardMessage, LeakCase, case
from .hubs import hub_case, with_hubs
from .leaks import Disagreement
from .played_cases import InstanceOpener, as_file, begun, text_of
from .reference import reached
from .reference_privacy import may_recall
from .reference_rules import RulesAsWritten

MASK = "Hooded Stranger"
"""The name of whoever speaks in disguise."""
IN_BUBBLE = "Dreamword"
"""What is said in a bubble alone."""
READERS = 3
"""How many are asked, the reader of the case among them."""


@dataclass(frozen=True)
class Saying:
    """A message of a story, as it was said last."""

    heard: HeardMessage
    """Who said it to whom, where."""
    key: str
    """Its key."""
    word: str
    """The word that only this fact has, as the message reads now."""
    masked: bool = False
    """Whether its speaker was in disguise."""
    closed_on: float | None = None
    """The game day on which the conversation was closed; `None` = it is not over."""


@dataclass
class Told:
    """What was said in a story."""

    sayings: list[Saying] = field(default_factory=list)
    """What stands, in the order in which it was said."""
    gone: list[str] = field(default_factory=list)
    """Words that nobody may recall any more: edited away, or retracted."""


class FailingGuard:
    """Lets everything through, until it fails."""

    def __init__(self) -> None:
        self.fails = False
        """Whether it fails."""

    def filter(self, event: ReadEvent) -> Filter:
        """Everything. Raises `OSError` once it fails."""
        if self.fails:
            raise OSError("the guard has fallen asleep")
        return EVERYTHING

    def strike(self, event: PlanEvent) -> Sequence[Strike]:
        """Nothing."""
        return ()


def eventful_case(number: int) -> LeakCase:
    """The case of this number: by turns as in `leaks`, with groups that are read in hubs, and with summaries."""
    if number % 3 == 1:
        given = hub_case(number)
        return given.model_copy(update={"book": with_hubs(given.book, 1 + number % 4)})
    given = case(number, messages=4)
    return given if number % 3 else given.model_copy(update={"book": _summing_up(given.book)})


def _summing_up(book: RuleBook) -> RuleBook:
    """The same rules, which tell summaries where they do not say otherwise."""
    of = [each.rules.model_copy(update={"when": "conversation"}) for each in book.pantheons]
    pantheons = [each.model_copy(update={"rules": rules}) for each, rules in zip(book.pantheons, of, strict=True)]
    return book.model_copy(update={"pantheons": tuple(pantheons)})


def _retold(book: RuleBook, reteller: str) -> RuleBook:
    """The same rules, which tell in the words of a reteller where they do not say otherwise."""
    of = [each.rules.model_copy(update={"retell": each.rules.retell or reteller}) for each in book.pantheons]
    pantheons = [each.model_copy(update={"rules": rules}) for each, rules in zip(book.pantheons, of, strict=True)]
    return book.model_copy(update={"pantheons": tuple(pantheons)})


async def eventful_disagreements(
    given: LeakCase, folder: Path, opener: InstanceOpener, *, personal: bool = False, retell: str | None = None
) -> list[Disagreement]:
    """Play a case as a story in which much happens, and say what somebody recalls that they may not.

    With `personal`, everybody says of themselves where they live, so that facts can be drawn; whatever jobs the
    instance has are done before anybody is asked. `retell` is a reteller that all rules name.
    """
    given = given if retell is None else given.model_copy(update={"book": _retold(given.book, retell)})
    (folder / "rules.json").write_text(as_file(given.book), "utf-8")
    graph = {"name": "networkx", "path": str(folder / "graph.db")}
    guard, settings = FailingGuard(), {"rules": str(folder / "rules.json"), "graph": graph}
    async with opener({"relationships": settings, "guards": [guard]}) as ew:
        return [each async for each in _Eventful(ew, given, guard, personal=personal).disagreements()]


class _Eventful:
    """One story."""

    def __init__(self, ew: Earwitness, given: LeakCase, guard: FailingGuard, *, personal: bool) -> None:
        self._ew, self._given, self._guard, self._personal = ew, given, guard, personal
        self._random = Random(~given.number)  # noqa: S311 - a case must be played the same again
        self._told = Told()

    async def disagreements(self) -> Any:
        """Play it, and ask."""
        story = await begun(self._ew, self._given)
        await self._converse(story)
        bubble = (await story.bubble("dream")).session if self._random.random() < 0.5 else None
        if bubble is not None:
            first = self._given.conversation[0]
            dreamt = self._plainly(f"{IN_BUBBLE} concerns nobody else.")
            await bubble.say(first.seed.speaker, dreamt, audience=list(PEOPLE))
        await self._meddle(story)
        await self._reach(story, self._given.day)
        for complaint in [await self._undone(each) for each in (story, bubble) if each is not None]:
            if complaint:
                yield self._loss("-", complaint)
        await story.delivered()
        readers = {self._given.reader, *self._random.sample(PEOPLE, READERS - 1)}
        for reader in sorted(readers):
            for asked in (self._given.asked, self._random.choice(self._given.conversation).channel):
                async for each in self._asked(story, bubble, reader, asked):
                    yield each

    async def _converse(self, story: Session) -> None:
        """Say everything; some of it twice, and close some conversations."""
        for heard in self._given.conversation:
            await self._reach(story, heard.seed.day)
            await self._say(story, heard)
            if self._random.random() < 0.3:
                await self._say(story, self._to_others(heard), again=True)
            if self._random.random() < 0.3:
                await self._close(story, heard.channel)

    async def _undone(self, story: Session) -> str:
        """What jobs could not do, in words; empty = nothing."""
        await story.jobs.done()
        return ", ".join(story.jobs.failures)

    async def _reach(self, story: Session, day: float) -> None:
        if day > story.state.game_day:
            await story.change(game_day=day)
            await story.settled()

    def _to_others(self, heard: HeardMessage) -> HeardMessage:
        """The same words of the same speaker to others, on the same day and at the same place."""
        others = [each for each in PEOPLE if each != heard.seed.speaker]
        there = self._random.sample(others, self._random.randint(0, 3))
        direct = {heard.seed.speaker: "speaker", **dict.fromkeys(there, "present")}
        seed = heard.seed.model_copy(update={"key": f"{heard.seed.key}-again", "direct": direct})
        return heard.model_copy(update={"seed": seed})

    async def _say(self, story: Session, heard: HeardMessage, *, again: bool = False) -> None:
        seed = heard.seed.model_copy(update={"key": heard.seed.key.removesuffix("-again")})
        masked = not again and self._random.random() < 0.2
        await story.say(
            seed.speaker,
            self._plainly(text_of(seed)),
            key=heard.seed.key,
            audience=list(heard.seed.direct),
            channel=heard.channel,
            speak_as=MASK if masked else None,
        )
        await story.settled()
        self._told.sayings.append(Saying(heard, heard.seed.key, text_of(seed).split()[0], masked))

    def _plainly(self, text: str) -> str:
        """The text, with a fact about its speaker that has the same word, if facts are to be drawn."""
        return f"{text} I live in {text.partition(' ')[0]}." if self._personal else text

    async def _close(self, story: Session, channel: Channel) -> None:
        closed = await story.close_conversation(channel)
        day = story.state.game_day
        keys = set(closed.messages)
        self._told.sayings = [replace(s, closed_on=day) if s.key in keys else s for s in self._told.sayings]

    async def _meddle(self, story: Session) -> None:
        """Close some conversations, edit some lines, retract others."""
        for channel in dict.fromkeys(each.heard.channel for each in self._told.sayings):
            if self._random.random() < 0.6:
                await self._close(story, channel)
        for number, each in enumerate([*self._told.sayings]):
            match self._random.choice(("nothing", "nothing", "edit", "retract")):
                case "edit":
                    word = f"Edited{number}x{self._given.number}"
                    text = f"{word} {text_of(each.heard.seed).partition(' ')[2]}"
                    await story.edit(each.key, self._plainly(text))
                    self._gone(each, replace(each, word=word))
                case "retract":
                    await story.retract(each.key)
                    self._gone(each, None)

    def _gone(self, before: Saying, now: Saying | None) -> None:
        sayings = [each for each in self._told.sayings if each.key != before.key]
        self._told.sayings = sayings if now is None else [*sayings, now]
        if all(each.word != before.word for each in sayings):
            self._told.gone.append(before.word)

    # ── what may be recalled ────────────────────────────────────────────────────────────────────────────────────────

    async def _asked(self, story: Session, bubble: Session | None, reader: str, asked: Channel) -> Any:
        """What one reader recalls in one channel that they may not: in the story, in its bubble, and unguarded."""
        words = {each.word for each in self._told.sayings}
        allowed = {each.word for each in self._told.sayings if await self._may(story, each, reader, asked)}
        for word in sorted({*words, *self._told.gone, IN_BUBBLE}):
            found = [each for each in await _recalled(story, reader, word, asked) if word in each.text]
            if found and word not in allowed:
                yield self._leak(word, f"{reader} recalls {found[0].text!r} in {asked}")
            for complaint in self._unmasked(reader, word, found):
                yield self._leak(word, complaint)
            if bubble is not None and word != IN_BUBBLE:
                for each in await _recalled(bubble, reader, word, asked):
                    if word in each.text:
                        yield self._leak(word, f"{reader} recalls {each.text!r} in a bubble")
        self._guard.fails = True
        with suppress(StrategyError):
            for each in await _recalled(story, reader, "concerns", asked):
                yield self._leak("-", f"{reader} recalls {each.text!r} while a guard fails")
        self._guard.fails = False

    async def _may(self, story: Session, saying: Saying, reader: str, asked: Channel) -> bool:
        seed = await self._settled(story, saying)
        if not may_recall("graded", saying.heard.channel, asked, seed.direct):
            return False
        return reader in seed.direct or any(
            reader in ways and ways[reader].day <= story.state.game_day for ways in self._ways(saying, seed)
        )

    def _ways(self, saying: Saying, seed: Seed) -> Iterator[Mapping[str, Any]]:
        book: RuleBook = self._given.book
        yield reached(RulesAsWritten(book, self._given.relations), seed)
        if saying.closed_on is not None:
            over = RulesAsWritten(book, self._given.relations, over=True)
            yield reached(over, seed.model_copy(update={"day": saying.closed_on}))

    async def _settled(self, story: Session, saying: Saying) -> Seed:
        """The seed as the story settled it, with the state that all messages share."""
        settled = await (await story.outcome(saying.key)).settled()
        roles = {id: part.role for id, part in settled.participants.items()}
        first = self._given.conversation[0].seed
        users = tuple(id for id in roles if id == PERSONA)
        shared = {"flags": first.flags, "place": first.place, "direct": roles, "users": users}
        return saying.heard.seed.model_copy(update=shared)

    def _unmasked(self, reader: str, word: str, found: Sequence[Memory]) -> Iterator[str]:
        of_word = [each for each in self._told.sayings if each.word == word]
        if not of_word or not all(each.masked for each in of_word):
            return
        speaker = of_word[0].heard.seed.speaker
        for each in found:
            if reader != speaker and (each.metadata.get("speaker") == speaker or f"{speaker}: {word}" in each.content):
                yield f"{reader} recalls {each.text!r}, and knows that it was {speaker}"

    def _leak(self, word: str, what: str) -> Disagreement:
        return Disagreement(self._given.number, word, what, leak=True)

    def _loss(self, word: str, what: str) -> Disagreement:
        return Disagreement(self._given.number, word, what, leak=False)


async def _recalled(story: Session, reader: str, word: str, asked: Channel) -> list[Memory]:
    turn = await story.turn(reader, query=f"{word} concerns", channel=asked, in_prompt=[], memories=20)
    return [each.memory for each in turn.memories]
