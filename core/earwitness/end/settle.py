"""END, step 3: from presence and proposals to participants. Pure.

The host's word decides; then withholding beats adding; and the speaker always remembers what she said.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from ..hooks import MessageAnswer
from ..loading.settings import EndSettings
from ..records.character import Cast
from ..records.message import Message, Participant
from ..records.moment import Perceived, Presence

HOST = "the host said so"


def participants(
    message: Message,
    presence: Presence,
    agent: Mapping[str, Participant] | None,
    answers: Iterable[tuple[str, MessageAnswer]],
    cast: Cast,
    enough: float,
    asked: Collection[str] = (),
) -> dict[str, Participant]:
    """Exactly those who perceived the message, speaker first, the others in the order of the cast.

    `answers` are (plugin name, answer); `enough` is the least probability that counts; `asked` are ids of those whom
    the plugins were asked about.
    """
    if message.present is not None:
        settled = {id: _certain(presence.characters.get(id), HOST) for id in message.present if id in cast}
    else:
        settled = _believed(presence, agent, enough)
        named = list(answers)
        _add(settled, named, {id: presence.characters[id] for id in asked})
        _withhold(settled, named)
    settled[message.speaker] = _speaker(settled.get(message.speaker))
    return _ordered({id: part for id, part in settled.items() if id in cast}, message.speaker, cast)


def asked_about(message: Message, presence: Presence, end: EndSettings) -> tuple[str, ...]:
    """Ids of those of whom plugins are to say whether they perceive the message; nobody's where the host said so."""
    if message.present is not None:
        return ()
    return tuple(id for id, who in presence.characters.items() if end.asks(who.probability) and id != message.speaker)


def _believed(presence: Presence, agent: Mapping[str, Participant] | None, enough: float) -> dict[str, Participant]:
    if agent is not None:
        return {id: part for id, part in agent.items() if part.confidence >= enough}
    return {
        id: Participant(role=who.role, confidence=who.probability, evidence=who.evidence)
        for id, who in presence.characters.items()
        if who.probability >= enough
    }


def _add(
    settled: dict[str, Participant], answers: Iterable[tuple[str, MessageAnswer]], asked: Mapping[str, Perceived]
) -> None:
    for plugin, answer in answers:
        for id, why in answer.add.items():
            settled.setdefault(id, _certain(asked.get(id), f"{plugin}: {why}"))


def _withhold(settled: dict[str, Participant], answers: Iterable[tuple[str, MessageAnswer]]) -> None:
    for _, answer in answers:
        for id in answer.withhold:
            settled.pop(id, None)


def _certain(believed: Perceived | None, why: str) -> Participant:
    role = believed.role if believed and believed.role in {"addressee", "overhearing"} else "present"
    return Participant(role=role, confidence=1, evidence=(why, *(believed.evidence if believed else ())))


def _speaker(found: Participant | None) -> Participant:
    evidence = tuple(why for why in (found.evidence if found else ()) if why != HOST)
    return Participant(role="speaker", confidence=1, evidence=evidence or ("said it",))


def _ordered(settled: dict[str, Participant], speaker: str, cast: Cast) -> dict[str, Participant]:
    order = (speaker, *(id for id in cast.ids if id != speaker))
    return {id: settled[id] for id in order if id in settled}
