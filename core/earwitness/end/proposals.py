"""END, steps 2 and 3: the answers of the detector, the World Agent and the plugins for one message.

The detector is asked first; its answer is believed only as far as the cast and the text support it. The World Agent and
the plugins are then asked together, each with a time limit.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar
from unicodedata import normalize

from ..consultation import Answered, Consultant, record_of
from ..engine import Engine
from ..events import Event, MessageAnswer, MessageEvent, WorldAgentEvent, WorldAnswer, WorldView
from ..plugin_data import DataByOwner
from ..protocols import Detector, WorldAgent
from ..records.character import Cast
from ..records.moment import Moment, Movement, Perceived, Presence, Segment
from ..records.plan import Answer
from ..records.update import Knowledge, Update
from ..shared_values import without
from ..strategy import Strategy
from .derivations import ProposedMemory, proposed
from .host_word import with_those_there
from .updates import with_text

T = TypeVar("T")


async def presence_of(engine: Engine, moment: Moment, data: DataByOwner) -> tuple[Presence | None, Answer]:
    """The detector's presence, or `None` if there is no detector or no usable answer; and what it is reported as.

    Raises `StrategyError` for a failing detector if `strict`.
    """
    if (detector := engine.detector) is None:
        return None, Answer(by="detector:none")
    limit = engine.settings.end.detector_timeout
    answered = await detect(engine.consultant, detector, moment, data, limit)
    return answered.value, answered.reported()


async def detect(
    consultant: Consultant, detector: Strategy[Detector], moment: Moment, data: DataByOwner, limit: float
) -> Answered[Presence]:
    """The presence that can be believed, or none if the detector failed. `limit` is in seconds.

    Raises `StrategyError` for a failing detector if the consultant is strict.
    """
    shown = without_host_word(moment)
    await consultant.warm_up.of(detector.made)
    return await consultant.ask(
        detector, Detector.detect, shown, lambda answer: believable(answer, moment), data, limit
    )


def without_host_word(moment: Moment) -> Moment:
    """The moment as a detector sees it: with everybody where the host says, and the text to judge. The host's word
    about who perceives it is applied later."""
    if moment.message.present is None and moment.message.audience is None:
        return moment
    message = moment.message.model_copy(update={"present": None, "audience": None})
    return moment.model_copy(update={"message": message})


def believable(answer: object, moment: Moment) -> tuple[Presence | None, str | None]:
    """The part of an answer that the cast and the text support, or `None` if it is unusable; and the fault found."""
    if answer is None:
        return None, "no answer"
    presence, failure = record_of(answer, Presence)
    if presence is None:
        return None, failure
    if invented := made_up(presence, moment.message.content):
        return None, f"its segment {invented!r} is not in the message, or not in this order; ignored"
    presence, strangers = known_only(presence, moment.cast, moment.message.speaker)
    if moment.state.participants:
        presence = among(presence, moment.candidates)
    if moment.message.present is not None:
        presence = with_those_there(presence, moment)
    return presence, strangers_named(strangers)


def strangers_named(names: Sequence[str]) -> str | None:
    """What is reported of an answer that named these; `None` where there are none."""
    return f"named {', '.join(map(repr, names))}, who are not in the cast; ignored" if names else None


def _strangers_in(answer: MessageAnswer, cast: Cast) -> str | None:
    """What is reported of a plugin's answer: a misspelt id withholds nothing."""
    named = dict.fromkeys((*answer.add, *answer.withhold, *answer.knowledge))
    return strangers_named([each for each in named if each not in cast])


def known_only(presence: Presence, cast: Cast, speaker: str) -> tuple[Presence, list[str]]:
    """The presence without unknown names and with the speaker certain; and the unknown names."""
    characters = {**presence.characters}
    if strangers := without(characters, cast.by_id):
        characters = {id: who for id, who in characters.items() if id in cast}
    said = characters.get(speaker)
    evidence = said.evidence if said and said.evidence else ("said it",)
    characters[speaker] = Perceived(probability=1, role="speaker", evidence=evidence)
    movements = tuple(_guessed(move) for move in presence.movements if move.character in cast)
    segments = tuple(_known_audience(segment, cast) for segment in presence.segments)
    update = {"characters": characters, "movements": movements, "segments": segments}
    return presence.model_copy(update=update), strangers


def among(presence: Presence, candidates: Collection[str]) -> Presence:
    """The presence limited to these characters; the host does not count the others into the session."""
    characters = {id: who for id, who in presence.characters.items() if id in candidates}
    movements = tuple(move for move in presence.movements if move.character in candidates)
    return presence.model_copy(update={"characters": characters, "movements": movements})


def _guessed(move: Movement) -> Movement:
    """A movement that is not certain: a detector never speaks with the host's word."""
    return move.model_copy(update={"certain": False}) if move.certain else move


def made_up(presence: Presence, content: str) -> str | None:
    """The text of the first segment that the message does not contain after the earlier ones. Blanks are ignored."""
    whole, begin = _without_blanks(content), 0
    for segment in presence.segments:
        text = _without_blanks(segment.text)
        if (found := whole.find(text, begin)) < 0:
            return segment.text
        begin = found + len(text)
    return None


def _without_blanks(text: str) -> str:
    """Text without blanks. A detector may compose letters, or join pieces with more blanks than the message has."""
    return "".join(normalize("NFC", text).split())


def _known_audience(segment: Segment, cast: Cast) -> Segment:
    if segment.audience is None:
        return segment
    return segment.model_copy(update={"audience": tuple(id for id in segment.audience if id in cast)})


@dataclass(frozen=True, slots=True)
class Proposals:
    """Everything that was proposed for one message, and the strategies that were asked."""

    agent: WorldAnswer
    plugins: Sequence[tuple[str, MessageAnswer]]
    reports: tuple[Answer, ...]
    derived: tuple[ProposedMemory, ...] = ()
    """The agent's derived memories, then the plugins', in order."""

    @property
    def updates(self) -> tuple[Update, ...]:
        """The agent's updates, then the plugins', in order."""
        return tuple(with_text((*self.agent.updates, *(each for _, answer in self.plugins for each in answer.updates))))

    def with_news(self, characters: Iterable[str]) -> list[str]:
        """Those of the characters for whom any line is proposed."""
        named = {*self.agent.knowledge, *(id for _, answer in self.plugins for id in answer.knowledge)}
        return [id for id in characters if id in named] if named else []

    def knowledge(self, character: str) -> list[Knowledge]:
        """Everything proposed for one character, each line once."""
        lines = [*self.agent.knowledge.get(character, ())]
        for _, answer in self.plugins:
            lines += answer.knowledge.get(character, ())
        return list(dict.fromkeys(lines))

    @property
    def degraded(self) -> bool:
        """Whether anyone who was asked failed or did not answer in time."""
        return any(report.failure for report in self.reports)


async def propose(
    engine: Engine,
    event: Event,
    moment: Moment,
    presence: Presence,
    unsure: Sequence[str],
    world: WorldView,
    data: DataByOwner,
) -> Proposals:
    """Ask the agent and all plugins at once; `event` says where the story is.

    Raises `PluginError` or `StrategyError` for a failure if `strict`.
    """
    base = _fields(event)
    asked_agent = _ask_agent(engine, WorldAgentEvent(**base, moment=moment, presence=presence, world=world), data)
    answers: Sequence[Answered[MessageAnswer]] = ()
    if engine.plugins.asks("on_message"):
        asked_plugins = MessageEvent(**base, moment=moment, presence=presence, unsure=tuple(unsure))
        fault = partial(_strangers_in, cast=event.cast)
        asked = engine.plugins.ask("on_message", asked_plugins, MessageAnswer, data, fault=fault)
        agent, answers = await asyncio.gather(asked_agent, asked)
    else:
        agent = await asked_agent
    answered = [(answer.by, answer.value) for answer in answers if answer.value is not None]
    reports = tuple(each.reported() for each in answers)
    if agent is not None:
        reports = (agent.reported(), *reports)
    derived = proposed((*([agent] if agent else []), *answers))
    return Proposals((agent and agent.value) or WorldAnswer(), answered, reports, derived)


def _fields(event: Event) -> dict[str, Any]:
    return {name: getattr(event, name) for name in Event.model_fields if name != "data"}


async def _ask_agent(engine: Engine, event: WorldAgentEvent, data: DataByOwner) -> Answered[WorldAnswer] | None:
    if engine.world_agent is None:
        return None
    return await engine.consultant.ask(
        engine.world_agent, WorldAgent.propose, event, lambda answer: resolved(answer, event.cast), data
    )


def resolved(answer: object, cast: Cast) -> tuple[WorldAnswer | None, str | None]:
    """A World Agent's answer with names resolved to ids, and the names left out because they are unknown."""
    if answer is None:
        return WorldAnswer(), None
    usable, failure = record_of(answer, WorldAnswer)
    if usable is None:
        return None, failure
    if all(id in cast for id in (*usable.knowledge, *(usable.participants or ()))):
        return usable, None
    knowledge, strangers = _by_id(usable.knowledge, cast)
    participants, more = (None, []) if usable.participants is None else _by_id(usable.participants, cast)
    kept = usable.model_copy(update={"knowledge": knowledge, "participants": participants})
    return kept, strangers_named([*more, *(each for each in strangers if each not in more)])


def _by_id(given: Mapping[str, T], cast: Cast) -> tuple[dict[str, T], list[str]]:
    """Values by character id, and the names that match nobody.

    If a character is named twice, the first value counts.
    """
    found: dict[str, T] = {}
    strangers = []
    for name, value in given.items():
        member = cast.resolve(name)
        if member is None:
            strangers.append(name)
        else:
            found.setdefault(member.id, value)
    return found, strangers
