"""END, step 3: from presence and proposals to participants. Pure.

The host's word decides; then withholding beats adding; and the speaker always remembers what she said.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..hooks import MessageAnswer
from ..records.character import Cast
from ..records.message import Message, Participant
from ..records.moment import Perceived, Presence


def participants(
    message: Message,
    presence: Presence,
    agent: Mapping[str, Participant] | None,
    answers: Iterable[tuple[str, MessageAnswer]],
    cast: Cast,
    threshold: float,
) -> dict[str, Participant]:
    """Exactly those who perceived the message, speaker first, the others in the order of the cast.

    `answers` are (plugin name, answer); `threshold` is the least probability that counts.
    """
    if message.present is not None:
        settled = {id: _certain(presence.characters.get(id)) for id in message.present if id in cast}
    else:
        settled = _believed(presence, agent, threshold)
        named = list(answers)
        _add(settled, named)
        _withhold(settled, named)
    settled[message.speaker] = _speaker(settled.get(message.speaker))
    return _ordered({id: part for id, part in settled.items() if id in cast}, message.speaker, cast)


def _believed(presence: Presence, agent: Mapping[str, Participant] | None, threshold: float) -> dict[str, Participant]:
    if agent is not None:
        return {id: part for id, part in agent.items() if part.confidence >= threshold}
    return {
        id: Participant(role=who.role, confidence=who.probability, evidence=who.evidence)
        for id, who in presence.characters.items()
        if who.probability >= threshold
    }


def _add(settled: dict[str, Participant], answers: Iterable[tuple[str, MessageAnswer]]) -> None:
    for plugin, answer in answers:
        for id, why in answer.add.items():
            settled.setdefault(id, Participant(role="present", confidence=1, evidence=(f"{plugin}: {why}",)))


def _withhold(settled: dict[str, Participant], answers: Iterable[tuple[str, MessageAnswer]]) -> None:
    for _, answer in answers:
        for id in answer.withhold:
            settled.pop(id, None)


def _certain(believed: Perceived | None) -> Participant:
    role = believed.role if believed and believed.role in {"addressee", "overhearing"} else "present"
    evidence = believed.evidence if believed else ()
    return Participant(role=role, confidence=1, evidence=("the host said so", *evidence))


def _speaker(found: Participant | None) -> Participant:
    evidence = tuple(why for why in (found.evidence if found else ()) if why != "the host said so")
    return Participant(role="speaker", confidence=1, evidence=evidence or ("said it",))


def _ordered(settled: dict[str, Participant], speaker: str, cast: Cast) -> dict[str, Participant]:
    order = (speaker, *(id for id in cast.ids if id != speaker))
    return {id: settled[id] for id in order if id in settled}
