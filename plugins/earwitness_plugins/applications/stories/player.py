"""Plays a story: each step is reported to the session under its own key, and yields an event."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any, Literal

from earwitness.app import Earwitness
from earwitness.errors import StoryError
from earwitness.ids import WORLD
from earwitness.macros import in_piece
from earwitness.outcome import Outcome, Settlement
from earwitness.records.character import Cast
from earwitness.records.journal import Piece
from earwitness.records.message import Message
from earwitness.records.plan import Answer, Delivery
from earwitness.records.state import State
from earwitness.records.usage import calls_of
from earwitness.session import Session
from earwitness.start.recalled import Recalled
from earwitness.turn import Turn

from . import events
from .gist import gist
from .members import StoryPreparation
from .replay_check import check_played
from .steps import (
    AddedStep,
    ArchiveStep,
    CastStep,
    ChangeStep,
    ChannelStep,
    EditStep,
    EnterLeaveStep,
    ForgetStep,
    JoinStep,
    MemoryStep,
    MessageStep,
    MoveStep,
    NoteStep,
    PrepareStep,
    RecallStep,
    RememberStep,
    RerollStep,
    RetractStep,
    SayStep,
    ShownStep,
    StateStep,
    StoryStep,
    TellStep,
    UnmaskStep,
    UpdateStep,
    WhoKnowsStep,
)
from .story import Story

SHOWN = ("game_day", "current_scene")


async def play(ew: Earwitness, story: Story) -> AsyncIterator[events.StoryEvent]:
    """Play a story into its session, and yield one event per step. Playing it again changes nothing.

    Raises `KeyConflict` when another version of the story was played into the same session: for a difference in lines
    or in the beginning, before the first event.
    Raises `StoryError` when the session was not played, but imported or told by a program.
    """
    again = story.story in await ew.sessions()
    if again:
        check_played(story, await (await ew.open_session(story.story)).backstage().journal())
    session = await begin(ew, story)
    yield events.StoryBegun(session=session.id, title=story.title or story.story, plot=_plot(story), again=again)
    player = Player(session, story)
    for number, step in enumerate(story.steps, 1):
        yield (await player.step(number, step)).model_copy(update={"step": number})
    await session.jobs.done()  # nobody is left to wait for afterwards
    yield await player.end()


def _plot(story: Story) -> str | None:
    """The plot with names in place of macros."""
    plot = story.prepare.plot
    return plot and in_piece(Piece(type="plot", text=plot), WORLD, story.people()).text


async def begin(ew: Earwitness, story: Story) -> Session:
    """The session of the story, with what was there before the story prepared."""
    before = story.prepare
    gone = await _forgotten(ew, story)
    cast = [each for each in story.people() if each.id not in gone]
    session = await ew.session(story.story, cast=cast, state=story.state, present=story.present or ())
    if before.model_fields_set:
        await session.prepare(**_prepared(before), key=f"{story.story}:0")
    await session.settled()
    return session


async def _forgotten(ew: Earwitness, story: Story) -> set[str]:
    """Ids of those whom an earlier play has forgotten: they do not join again."""
    if story.story not in await ew.sessions():
        return set()
    session = await ew.open_session(story.story)
    return {id for key, id in story.forgettings().items() if await session.has(key)}


def _prepared(given: StoryPreparation) -> dict[str, Any]:
    """What was there before, as `Session.prepare` takes it."""
    lore = [entry.model_dump() for entry in given.lore]
    return {"plot": given.plot, "cards": given.cards, "examples": given.examples, "lore": lore}


class Player:
    """Tells a session one step after another."""

    def __init__(self, session: Session, story: Story) -> None:
        self.session = session
        """Where the steps are played now: the story, or what a package's step has begun in it."""
        self.home = session
        """The story."""
        self.story = story
        self._now = State().updated(story.state)

    async def step(self, number: int, step: StoryStep) -> events.StoryEvent:
        """Play one step, and wait until it is settled."""
        key = self.story.key(number)
        match step:
            case SayStep() | EditStep() | RerollStep():
                return await self._said(step, key, number)
            case ChangeStep() | UpdateStep() | EnterLeaveStep() | MoveStep() | ChannelStep():
                return await self._happened(step, key)
            case TellStep() | RememberStep() | ArchiveStep():
                return await self._remembered(step, key)
            case JoinStep() | ForgetStep() | PrepareStep():
                return await self._cast(step, key)
            case AddedStep(name=name, step=added):
                return events.ActPlayed(kind="added", name=name, key=key, text=await added.play(PlayerStage(self, key)))
            case RetractStep(key=target):
                await (await self.session.retract(target, own_key=key)).settled()
                return events.RetractionPlayed(key=target)
            case UnmaskStep():
                return await self._unmasked(step, key)
        return await self._shown(step)

    async def _shown(self, step: ShownStep) -> events.StoryEvent:
        match step:
            case RecallStep():
                return await self._recollected(step)
            case WhoKnowsStep(text=text):
                return await self.who_knows(text)
            case NoteStep(text=text):
                return events.NotePlayed(text=text)

    async def who_knows(self, text: str) -> events.WhoKnowsPlayed:
        """Who knows about this, and how."""
        answer = await self.session.backstage().who_knows(text)
        return events.WhoKnowsPlayed(text=text, knowers=answer.knowers)

    async def end(self) -> events.StoryEnded:
        """Who remembers what at the end."""
        self.session = self.home
        overview = await self.session.backstage().overview()
        counts = {page.owner: page.total for page in overview.containers if page.owner in overview.cast}
        asked = dict.fromkeys(step.text for step in self.story.steps if isinstance(step, WhoKnowsStep))
        questions = tuple([await self.who_knows(text) for text in asked])
        return events.StoryEnded(session=self.session.id, memories=counts, questions=questions)

    async def _said(self, step: MessageStep, key: str, number: int) -> events.MessagePlayed:
        settled = await (await self._say(step, key, number)).settled()
        if settled.message is None:
            raise StoryError(f"step {number} ({step.kind}) is about a message that was retracted.")
        return message_played(settled, settled.message, self.session.cast, step.kind)

    async def _say(self, step: MessageStep, key: str, number: int) -> Outcome:
        match step:
            case SayStep(speaker=speaker, text=text, present=present, audience=audience, place=place):
                host: dict[str, Any] = {"present": present, "audience": audience, "place": place}
                fields = {**host, "speak_as": step.speak_as, "channel": step.where()}
                return await self.session.say(speaker, text, key=key, **fields)
            case EditStep(key=target, text=text, present=present, audience=audience):
                return await self.session.edit(target, text, present=present, audience=audience, own_key=key)
            case RerollStep(key=target, text=text):
                return await self.session.reroll(text, key=target or self._last_said(number), own_key=key)

    def _last_said(self, number: int) -> str:
        """The key of the last message before a step, so that playing it again means the same message."""
        said = [n for n, step in enumerate(self.story.steps[: number - 1], 1) if isinstance(step, SayStep)]
        return self.story.key(said[-1])

    async def _happened(self, step: StateStep, key: str) -> events.ChangePlayed:
        settled = await (await self._tell(step, key)).settled()
        self._now = self._now.updated({k: v for k, v in settled.plan.state.items() if k in SHOWN})
        return events.ChangePlayed(
            kind=step.kind,
            key=key,
            characters=_movers(step),
            place=_place(step),
            channel=step.where() if isinstance(step, ChannelStep) else None,
            day=self._now.game_day,
            scene=self._now.current_scene,
            updates=tuple(_shown_update(update) for update in settled.updates),
        )

    async def _tell(self, step: StateStep, key: str) -> Outcome:
        match step:
            case ChangeStep(changes=changes, description=description, audience=audience):
                told: dict[str, Any] = {"audience": audience, "channel": step.channel and step.channel.where()}
                return await self.session.change(description=description, **told, key=key, **changes)
            case UpdateStep(text=text, character=character, type=type, audience=audience):
                fields: dict[str, Any] = {"type": type, "audience": audience, "channel": step.channel_given()}
                return await self.session.update(text, character=character, **fields, key=key)
            case ChannelStep(members=members, place=place):
                return await self.session.channel(step.where(), members, place=place, key=key)
            case MoveStep(character=character, place=place):
                return await self.session.move(character, place, key=key)
            case EnterLeaveStep(kind="enter", characters=characters):
                return await self.session.enter(*characters, key=key)
            case EnterLeaveStep(characters=characters, to=to):
                return await self.session.leave(*characters, to=to, key=key)

    async def _remembered(self, step: MemoryStep, key: str) -> events.ActPlayed:
        match step:
            case TellStep():
                fields: dict[str, Any] = {"content": step.text, "day": step.day, "channel": step.channel_given()}
                outcome = await self.session.tell(step.teller, step.listener, step.memory, **fields, key=key)
                words = f": {step.text}" if step.text else ""
                done = f"{step.teller} tells {step.listener} of {step.memory!r}{words}"
            case RememberStep():
                how: dict[str, Any] = {"type": step.type, "rests_on": step.rests_on, "channel": step.channel_given()}
                outcome = await self.session.remember(step.character, step.text, **how, key=key)
                done = f"{step.character}: {step.text}"
            case _:
                kind, keys = step.kind, step.keys
                change = self.session.archive if kind == "archive" else self.session.restore
                outcome = await change(*keys, key=key)
                done = f"{', '.join(keys)} {'out of' if kind == 'archive' else 'back in'} recall"
        await outcome.settled()
        return events.ActPlayed(kind=step.kind, name=step.kind, key=key, text=done)

    async def _cast(self, step: CastStep, key: str) -> events.ActPlayed:
        match step:
            case JoinStep(members=members):
                await (await self.session.join(*(each.character() for each in members), key=key)).settled()
                done = ", ".join(each.id for each in members)
            case ForgetStep(character=done):
                await self.session.forget(done, key=key)
            case _:
                await (await self.session.prepare(**_prepared(step), key=key)).settled()
                done = ", ".join(name for name in ("plot", "cards", "examples", "lore") if getattr(step, name))
        return events.ActPlayed(kind=step.kind, name=step.kind, key=key, text=done)

    async def _unmasked(self, step: UnmaskStep, key: str) -> events.UnmaskingPlayed:
        outcome = await self.session.unmask(
            step.character,
            step.name,
            audience=step.audience,
            description=step.text,
            channel=step.channel_given(),
            key=key,
        )
        settled = await outcome.settled()
        (revealed,) = settled.updates
        nobody_new = {WORLD, step.character}
        copies = [each for each in settled.deliveries if each.source == outcome.key]
        learners = [each.owner for each in copies if each.owner not in nobody_new]
        return events.UnmaskingPlayed(key=outcome.key, text=revealed.body, learners=tuple(learners))

    async def _recollected(self, step: RecallStep) -> events.RecallPlayed:
        turn = await asked(self.session, step.character, step.query, channel=step.where())
        return recollection(turn, step)


def message_played(
    settled: Settlement, message: Message, cast: Cast, kind: Literal["say", "edit", "reroll"] = "say"
) -> events.MessagePlayed:
    """A message of the cast's, and who perceived it, as it is shown."""
    return events.MessagePlayed(
        kind=kind,
        key=message.key,
        speaker=message.speaker,
        speak_as=message.speak_as,
        text=message.content,
        channel=message.channel,
        participants=settled.participants,
        addressees=settled.addressees,
        absent=tuple(id for id in cast.ids if id not in settled.participants),
        knowledge=settled.knowledge,
        degraded=settled.degraded,
        failures=tuple(f"{failed.by}: {failed.failure}" for failed in settled.failures),
    )


class PlayerStage:
    """What a package's step is given: where it is played, and its key."""

    def __init__(self, player: Player, key: str) -> None:
        self._player = player
        self.key = key
        """The step's key."""

    @property
    def session(self) -> Session:
        """The story, or what an earlier step has begun in it."""
        return self._player.session

    def begin(self, session: Session) -> None:
        """Play the steps that follow in another session, until `end`."""
        self._player.session = session

    def end(self) -> None:
        """Play the steps that follow in the story itself again."""
        self._player.session = self._player.home


async def asked(session: Session, character: str, query: str | None, **how: Any) -> Turn:
    """A turn for the audience. With a query there is no prompt that holds messages already."""
    return await session.turn(character, query=query, in_prompt=None if query is None else (), **how)


def recollection(turn: Turn, step: RecallStep) -> events.RecallPlayed:
    """The best memories of a turn."""
    best = sorted(turn.memories, key=lambda recalled: -recalled.score)[: step.show]
    return events.RecallPlayed(
        character=turn.character,
        query=step.query,
        memories=tuple(remembered(recalled) for recalled in best),
        total=len(turn.memories),
        notes=turn.notes,
        consulted=tuple(line for each in turn.consulted for line in _consulted(each)),
        failures=turn.failures,
    )


def _consulted(answer: Answer) -> Iterator[str]:
    """Who was asked, what they did, and each call to a model."""
    yield "; ".join([f"{answer.by}, {answer.seconds:.2f} s", *answer.notes])
    if answer.usage:
        yield from (f"{each}, cost {each.cost:.4g}" for each in calls_of(answer.usage, answer.seconds))


def remembered(recalled: Recalled) -> events.RecalledMemory:
    """A recalled memory, as it is shown."""
    memory = recalled.memory
    shown = memory if recalled.excerpt is None else memory.model_copy(update={"content": recalled.excerpt})
    return events.RecalledMemory(
        id=memory.id,
        type=memory.type,
        text=gist(shown),
        permanent=memory.permanent,
        learned_day=memory.learned_day if memory.learned_day is not None else memory.game_day,
        learned=recalled.learned,
        score=recalled.score,
        why=recalled.why,
        unsayable=recalled.unsayable,
    )


def _movers(step: StateStep) -> tuple[str, ...]:
    if isinstance(step, EnterLeaveStep):
        return step.characters
    if isinstance(step, ChannelStep):
        return step.members
    return (step.character,) if isinstance(step, MoveStep) else ()


def _shown_update(update: Delivery) -> events.WorldUpdateShown:
    audience = update.metadata.get("audience", [])
    return events.WorldUpdateShown(
        text=update.body,
        audience=tuple(audience) if isinstance(audience, list) else (),
        public=update.metadata.get("public") is True,
    )


def _place(step: StateStep) -> str | None:
    if isinstance(step, EnterLeaveStep):
        return step.to
    return step.place if isinstance(step, MoveStep | ChannelStep) else None
