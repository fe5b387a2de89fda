"""END, step 3: from presence and proposals to the participants, and to the text each of them perceived. Pure.

The host's word decides. Then withholding beats adding. The speaker always remembers her own message.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from ..events import MessageAnswer
from ..ids import WORLD
from ..loading.end_settings import EndSettings
from ..records.character import Cast
from ..records.message import Message, Participant, Role, SettledMessage, by_role
from ..records.moment import Moment, Perceived, Presence, Segment
from ..records.state import PERCEIVES_NOTHING, Whereabouts
from ..shared_values import chosen, made_of
from .host_word import HOST, UNHEARD
from .whereabouts import folded

SHUT_OUT = 0.1
"""Somebody who is here perceives a message with no more than this probability if it is not for them."""
NARRATED = 0.5
"""A narration tells of the places of those who perceive it with this probability."""
CLOSING = tuple(",.;:!?…")


def participants(
    moment: Moment,
    presence: Presence,
    agent: Mapping[str, Participant] | None,
    answers: Iterable[tuple[str, MessageAnswer]],
    enough: float,
    asked: Collection[str] = (),
) -> dict[str, Participant]:
    """Exactly those who perceived the message: the speaker first, the others in the order of the cast.

    `answers` are (plugin name, answer); `enough` is the least probability that counts; `asked` are the ids that the
    plugins were asked about.
    """
    message, cast = moment.message, moment.cast
    if message.audience is not None:
        settled = {id: _certain(presence.characters.get(id), HOST) for id in message.audience if id in cast}
    else:
        settled = _believed(moment, presence, agent, enough)
        named = list(answers)
        _add(settled, named, {id: presence.characters[id] for id in asked})
        _withhold(settled, named)
    settled[message.speaker] = _speaker(settled.get(message.speaker))
    known = cast.by_id
    if settled.keys() <= known.keys():
        return _ordered(settled, message.speaker, cast)
    return _ordered({id: part for id, part in settled.items() if id in known}, message.speaker, cast)


def settled_message(
    message: Message,
    presence: Presence,
    found: Mapping[str, Participant],
    end: EndSettings,
    added: Collection[str] = (),
    *,
    degraded: bool = False,
) -> SettledMessage:
    """The settled message, with the text of everyone who perceived less than the whole.

    Characters who perceived nothing are not participants. `added` are ids of those who perceive the whole because a
    plugin says so.
    """
    partly: dict[str, str] = {}
    if message.audience is not None:
        out = set()
    elif end.perception == "whole":
        out = missed(presence, found, message.speaker, added)
    else:
        partly = heard(presence, found, message.speaker, added)
        out = {id for id, text in partly.items() if not text and id != message.speaker}
    kept = {id: part for id, part in found.items() if id not in out} if out else dict(found)
    settled = SettledMessage(
        message=message,
        participants={},
        heard=partly,
        tellable=tellable(presence, partly, message.speaker, added),
        spoken_to=_spoken_to(message, presence, kept),
        degraded=degraded,
    )
    return settled.model_copy(update={"participants": kept})  # records of ours: thousands need not be validated again


def _spoken_to(message: Message, presence: Presence, kept: Mapping[str, Participant]) -> tuple[str, ...]:
    """Ids of those who are spoken to, as the detector says, among those who perceive it.

    Where it names none of them, the one listener whom the host names is meant.
    """
    named = by_role(kept) if presence.addressees is None else presence.addressees
    found = tuple(id for id in dict.fromkeys(named) if id in kept and id != message.speaker)
    alone = not found and message.audience is not None and len(kept.keys() - {message.speaker}) == 1
    return tuple(kept.keys() - {message.speaker}) if alone else found


def asked_about(message: Message, presence: Presence, end: EndSettings) -> tuple[str, ...]:
    """Ids of those the plugins decide about; none if the host named the audience."""
    if message.audience is not None or end.unsure.policy != "ask":
        return ()
    unsure = chosen(presence.characters, presence.characters.values(), lambda who: end.asks(who.probability))
    return tuple([id for id in unsure if id != message.speaker])


def _believed(
    moment: Moment, presence: Presence, agent: Mapping[str, Participant] | None, enough: float
) -> dict[str, Participant]:
    """The participants by the detector's word.

    A World Agent may replace them, choosing among them and others who could have perceived the message.
    """
    admitted = _admitted(presence, enough)
    if agent is None:
        return admitted
    named = {id: part for id, part in agent.items() if part.confidence >= enough}
    places = said_at(moment, presence)
    return {id: part for id, part in named.items() if id in admitted or may_be_added(moment, presence, id, places)}


def may_be_added(moment: Moment, presence: Presence, character: str, places: Collection[str] | None = None) -> bool:
    """Whether a World Agent may name somebody whom the detector does not admit. In a direct message it may name nobody,
    and nowhere somebody who is here, but shut out from what is whispered, thought or muttered. Whoever asks about many
    gives the `places` of `said_at`."""
    who = presence.characters.get(character)
    shut_out = who is not None and who.probability <= SHUT_OUT and who.role not in UNHEARD
    if moment.message.context == "dm" or shut_out:
        return False
    return could_perceive(moment, character, places or said_at(moment, presence))


def _admitted(presence: Presence, enough: float) -> dict[str, Participant]:
    """Those who count, by the detector's word. Those of whom it says the same share one record."""
    alike: dict[tuple[Role, float, tuple[str, ...]], Participant] = {}

    def part(who: Perceived) -> Participant | None:
        said = (who.role, who.probability, tuple(who.evidence))
        if who.probability >= enough and said not in alike:
            alike[said] = Participant(role=who.role, confidence=who.probability, evidence=who.evidence)
        return alike.get(said)

    parts = made_of(presence.characters.values(), part)
    return {id: each for id, each in zip(presence.characters, parts, strict=True) if each is not None}


def could_perceive(moment: Moment, character: str, places: Collection[str]) -> bool:
    """Whether neither the host nor the story rules it out: no exit, no other place than these, no sleep.

    Those on a call, or whose place the story has not told, could perceive only what is said in the current scene; the
    latter nothing, if the host said who was present when the story began.
    """
    where, present = moment.whereabouts.get(character), moment.message.present
    if present is not None and character not in present:
        return where is not None and where.condition == "on_call"
    if where is None and moment.state.present_told and character not in (present or ()):
        return False
    if where is None or where.condition == "on_call":
        return moment.state.current_scene in places
    return any(_is_there(where, place, moment.state.current_scene) for place in places)


def _is_there(where: Whereabouts, place: str, scene: str) -> bool:
    """Whether they are at this place, and awake. Who is `here` is in the current scene."""
    if place == scene:
        return where.here
    return where.place == place and where.condition not in PERCEIVES_NOTHING


def said_at(moment: Moment, presence: Presence) -> frozenset[str]:
    """The places where a message is said: the one that the host says, else where its speaker is before and after it.

    A narrator is where those are who perceive it, by the detector's word. A speaker on a call, or whose place the
    story has not told, speaks to the current scene.
    """
    message, scene = moment.message, moment.state.current_scene
    if moment.placed or message.present is not None:
        return frozenset((message.scene,))
    if message.speaker in moment.cast.narrators:
        told_of = (id for id, who in presence.characters.items() if who.probability >= NARRATED)
        known = (moment.whereabouts.get(id) for id in told_of if id != message.speaker)
    else:
        moves = (each for each in presence.movements if each.character == message.speaker)
        where = moment.whereabouts.get(message.speaker)
        before = {} if where is None else {message.speaker: where}
        after = folded(before, moves, scene, message.sequence)
        known = (places.get(message.speaker) for places in (before, after))
    return frozenset(place for where in known if (place := _place(where, scene)) is not None) or frozenset((scene,))


def _place(where: Whereabouts | None, scene: str) -> str | None:
    if where is None:
        return None
    return scene if where.here or where.condition == "on_call" else where.place


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
    ids = dict.fromkeys((speaker, *cast.in_order(settled)))
    return dict(zip(ids, map(settled.__getitem__, ids), strict=True))


def heard(
    presence: Presence, participants: Mapping[str, Participant], speaker: str, whole: Collection[str]
) -> dict[str, str]:
    """Character id → perceived text, for characters who missed a segment; an empty text for those who missed all of it.

    `whole` are those who perceive everything because the host or a plugin says so. The speaker perceives her own words,
    but nobody perceives text said out of character.
    """
    partly: dict[str, str] = {}
    if all(segment.audience is None and segment.kind != "ooc" for segment in presence.segments):
        return partly
    for id in participants:
        parts = [segment for segment in presence.segments if _reaches(segment, id, speaker, whole)]
        if len(parts) < len(presence.segments):
            partly[id] = _text(parts)
    return partly


def tellable(presence: Presence, partly: Collection[str], speaker: str, whole: Collection[str]) -> dict[str, str]:
    """What may be passed on of a message with parts that are passed on to nobody; else empty.

    Under `world` of all of it, which is what those can tell who perceived the whole; by character id of what those of
    `partly` perceived who perceived such a part.
    """
    if all(_is_tellable(segment, speaker) for segment in presence.segments):
        return {}
    texts = {WORLD: _text([segment for segment in presence.segments if _is_tellable(segment, speaker)])}
    for id in partly:
        parts = [segment for segment in presence.segments if _reaches(segment, id, speaker, whole)]
        known = [segment for segment in parts if _is_tellable(segment, speaker)]
        if len(known) < len(parts):
            texts[id] = _text(known)
    return texts


def unread(settled: SettledMessage) -> SettledMessage:
    """A message that no detector has read: nobody knows what of it was thought, so none of it is passed on.

    Unless the host named others than the speaker who perceived all of it: then nothing of it was.
    """
    heard = any(id != settled.speaker for id in settled.message.audience or ())
    return settled if heard else settled.model_copy(update={"tellable": {WORLD: ""}})


def _is_tellable(segment: Segment, speaker: str) -> bool:
    """Whether who knows a segment may pass it on. Nobody could have perceived a thought, or what is said to oneself."""
    match segment.kind:
        case "ooc":
            return False
        case "thought":
            return segment.audience is None
        case "aside":
            return segment.audience is None or any(id != speaker for id in segment.audience)
        case _:
            return True


def _text(segments: Iterable[Segment]) -> str:
    """Segments as one text; one that begins with a closing mark follows without a blank."""
    pieces = [segment.text.strip() for segment in segments]
    return "".join(piece if piece[:1] in CLOSING else f" {piece}" for piece in pieces).strip()


def missed(
    presence: Presence, participants: Mapping[str, Participant], speaker: str, whole: Collection[str]
) -> set[str]:
    """Ids of those who missed a segment said in character. Where only whole messages are delivered, they get none."""
    said = [segment for segment in presence.segments if segment.kind != "ooc"]
    return {id for id in participants if not all(_reaches(segment, id, speaker, whole) for segment in said)}


def _reaches(segment: Segment, id: str, speaker: str, whole: Collection[str]) -> bool:
    if segment.kind == "ooc":
        return False
    return segment.audience is None or id in segment.audience or id == speaker or id in whole
