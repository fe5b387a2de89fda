"""Where a message is said, and who comes along: by its heading, else where its speaker is, else where the story looks.

The story looks to where the message before was said. Who answers there without saying where they are has come along,
unless the story has put them elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from earwitness.patterns import lazy_pattern
from earwitness.records.message import Message
from earwitness.records.moment import Moment
from earwitness.records.state import Whereabouts

from ..text.actors import acts
from ..text.headings import Heading, heading, headings, is_set_by_speaker
from ..text.message_reading import Reading, spoken_to
from ..text.names import Mention, Names
from ..text.surroundings import APART_FROM_ALL, UNNAMED, Surroundings

_BACK = 4
"""So many messages are followed back to one that says where it is said."""
_FEWEST = 2
"""Of so many named where the story opens, those who are not named are elsewhere."""
_QUOTED = lazy_pattern(r'["“«„][^"”»]*["”»]?')
_CALLED = lazy_pattern(
    r"\b(?:call|shout|yell|cri|bellow|holler|scream|roar|bawl)\w*\b|"
    r"\b(?:intercom|tube|receiver|telephone|phone|radio|mike|mic|microphone|walkie|headset|shaft|ceiling|collar|speaker)\b",
    re.IGNORECASE,
)
"""Words by which what is said reaches another place."""


@dataclass(frozen=True, slots=True)
class PieceAtPlace:
    """A piece of a narration that happens at one place."""

    text: str
    """As written."""
    scene: Surroundings
    """The place, and who is there."""
    brought: tuple[str, ...]
    """Ids of those whom it puts there."""


def stage(moment: Moment, reading: Reading, names: Names) -> tuple[Surroundings, tuple[str, ...]]:
    """The scene in which a character says something, and ids of those who have come along."""
    speaker = moment.message.speaker
    found = next((each for each in reading.headings if each.kind == "place"), None)
    if found is not None:
        scene = _at(moment, found)
        if _opens(moment) and not found.set_off and scene.place not in moment.state.places:
            return Surroundings.at(moment, None), ()
        return scene, (*_along(moment, scene), *_taken(moment, scene, reading, names))
    channel = next((each for each in reading.headings if each.kind == "channel"), None)
    if channel is not None:
        return _on_channel(moment, channel), ()
    own, looks = _own_place(moment, speaker), _looks(moment, names)
    if own is _NOWHERE:
        return _scene(moment, looks), ()
    if own != looks and not (looks or "").startswith(APART_FROM_ALL) and _comes_along(moment, speaker, reading, names):
        return _scene(moment, looks), ()
    return _scene(moment, own), ()


def is_headed(moment: Moment) -> bool:
    """Whether the story says by headings where it happens, so that what a message opens with can be one."""
    if heading(moment.message.content, told=False) is None:
        return False
    return any(_heads(moment, message) for message in moment.recent)


def _heads(moment: Moment, message: Message) -> bool:
    if message.speaker in moment.cast.narrators:
        return any(each.set_off for each in headings(message.content))
    found = heading(message.content, told=False)
    return found is not None and found.set_off and is_set_by_speaker(message.content, found)


def told(moment: Moment, reading: Reading, names: Names, otherwise: Surroundings) -> tuple[PieceAtPlace, ...]:
    """A narration, piece by piece; empty where it has no heading."""
    found = [each for each in reading.headings if each.kind != "channel"]
    if found and not found[0].set_off and not found[0].cuts and _opens(moment):
        found = found[1:]  # `In the kitchen, Ann …` where the story begins puts nobody apart
    if not found:
        return ()
    text = moment.message.content
    cuts = [each.start for each in found] + [len(text)]
    pieces = [PieceAtPlace(text[: cuts[0]], otherwise, ())] if text[: cuts[0]].strip() else []
    parts = [text[begin:end] for begin, end in pairwise(cuts)]
    doing = [tuple(_acting(part, names, moment)) for part in parts]
    scenes = [_at(moment, each) for each in found]
    elsewhere = {id for ids in doing[1:] for id in ids}
    alone = pieces or len(doing[0]) >= _FEWEST
    along = () if alone else (id for id in _along(moment, scenes[0]) if id not in elsewhere)
    doing[0] = tuple(dict.fromkeys((*doing[0], *along)))
    return (*pieces, *map(PieceAtPlace, parts, scenes, doing))


def looks(moment: Moment, names: Names) -> Surroundings:
    """The scene to which the story looks, before the message."""
    return _scene(moment, _looks(moment, names))


def _at(moment: Moment, found: Heading) -> Surroundings:
    if found.kind == "everywhere":
        every = (id for id, where in moment.whereabouts.items() if where.here or where.place)
        return Surroundings(moment.state, None, tuple(sorted(id for id in every if id in moment.cast)))
    place = Surroundings.at(moment, None).known_place(found.place.replace("_", " ")) or found.place
    return _scene(moment, place)


def _on_channel(moment: Moment, channel: Heading) -> Surroundings:
    """Those who are on it, and those who are where it is said; who spoke on another channel last is on that one."""
    tuned: dict[str, str] = {}
    for message in moment.recent:
        found = heading(message.content, told=False)
        if found is not None and found.kind == "channel":
            tuned[message.speaker] = found.place
    own = _own_place(moment, moment.message.speaker)
    place = own if own is not _NOWHERE else None
    near = Surroundings.at(moment, place).near
    beside = near if place is not None else ()
    on = (
        id for id in moment.whereabouts if tuned.get(id, channel.place if id in _here(moment) else "") == channel.place
    )
    return Surroundings(moment.state, place, tuple(sorted({*on, *beside}.intersection(moment.cast.ids))))


def _here(moment: Moment) -> frozenset[str]:
    return frozenset(Surroundings.at(moment, None).near)


def _scene(moment: Moment, place: str | None) -> Surroundings:
    return Surroundings.at(moment, None if place == moment.state.current_scene else place)


_NOWHERE = ""


def _place(where: Whereabouts | None, moment: Moment) -> str | None:
    """Where somebody is; `_NOWHERE` if the story does not say."""
    if where is None or not (where.here or where.place):
        return _NOWHERE
    return None if where.here or where.place == moment.state.current_scene else where.place


def _own_place(moment: Moment, id: str) -> str | None:
    return _place(moment.whereabouts.get(id), moment)


def _along(moment: Moment, scene: Surroundings) -> tuple[str, ...]:
    """Those who are at the place with which the story opens: all who are here."""
    if scene.place is None or scene.near or not _opens(moment):
        return ()
    return Surroundings.at(moment, None).near


def _taken(moment: Moment, scene: Surroundings, reading: Reading, names: Names) -> Iterator[str]:
    """Those of whom the speaker's deeds tell, or to whom they speak, if both were together before or it is open."""
    me = moment.message.speaker
    own = _own_place(moment, me)
    if own == scene.place:
        return
    addressed = () if reading.call or reading.shouted or _CALLED.search(moment.message.content) else reading.addressed
    for id in dict.fromkeys((*_acting(moment.message.content, names, moment), *addressed)):
        if id != me and id not in scene.near and _own_place(moment, id) in (own, None, _NOWHERE):
            yield id


def _opens(moment: Moment) -> bool:
    """Whether nobody has said anything yet."""
    return all(message.speaker in moment.cast.narrators for message in moment.recent)


def _looks(moment: Moment, names: Names) -> str | None:
    for message in islice(_last_at_a_place(moment), _BACK):
        place = _of_message(moment, message, names)
        if place is not _NOWHERE:
            return place
    return None


def _last_at_a_place(moment: Moment) -> Iterator[Message]:
    """The recent messages, the last first, without those of channels at no place: what is said there moves nobody."""
    return (each for each in reversed(moment.recent) if not moment.state.moves_nobody(each.channel))


def _of_message(moment: Moment, message: Message, names: Names) -> str | None:
    """Where a recent message was said, or tells of last."""
    if message.speaker not in moment.cast.narrators:
        return _own_place(moment, message.speaker)
    found = [_at(moment, each) for each in headings(message.content) if each.kind == "place"]
    if found and found[-1].near:
        return found[-1].place
    acting = (_own_place(moment, id) for id in reversed(_acting(message.content, names, moment)))
    return next((place for place in acting if place is not _NOWHERE), _NOWHERE)


def _comes_along(moment: Moment, id: str, reading: Reading, names: Names) -> bool:
    """Whether somebody who speaks without saying where is where the story looks, and not where they were."""
    before = next(_last_at_a_place(moment), None)
    if before is None or before.speaker == id:
        return False
    if (own := moment.whereabouts.get(id)) is not None and own.certain and own.place and not own.here:
        return False  # the host has put them there
    with_whom = moment.whereabouts.get(before.speaker)
    if with_whom is not None and with_whom.condition == "on_call":
        return False
    if not _is_put(moment, id, names):
        return not _is_left_behind(moment, id, before.speaker, names)
    there = _own_place(moment, before.speaker)
    if before.speaker in moment.cast.narrators or there is _NOWHERE:
        return False
    if before.speaker in reading.addressed and _own_place(moment, id) is None:
        return True
    alone = Surroundings.at(moment, there).near == (before.speaker,)
    return alone and heading(before.content, told=True) is not None


def _is_left_behind(moment: Moment, id: str, other: str, names: Names) -> bool:
    """Whether both were here until it was told of the other, and not of them, that they went."""
    gone, here = moment.whereabouts.get(other), moment.whereabouts.get(id)
    if gone is None or gone.here or here is None or not here.here or here.since >= gone.since:
        return False
    told = next((message for message in reversed(moment.recent) if message.sequence == gone.since), None)
    if told is None or any(each.set_off for each in headings(told.content)):
        return False
    named = {mention.id for mention in names.find(told.content)}
    return other in named and id not in named


def _is_put(moment: Moment, id: str, names: Names) -> bool:
    """Whether the story has put them where they are: by name, or they have spoken there."""
    where = moment.whereabouts[id]
    if where.here and moment.state.current_scene != UNNAMED:
        return True
    if any(message.speaker == id and message.sequence >= where.since for message in moment.recent):
        return True
    put = next((message for message in moment.recent if message.sequence == where.since), None)
    if put is None:
        return not where.here
    return id in {mention.id for mention in names.find(put.content)}


def _acting(text: str, names: Names, moment: Moment) -> Sequence[str]:
    """Ids of those of whom a told text says that they do something, in order."""
    outside = _QUOTED.sub(lambda quoted: " " * len(quoted[0]), text)
    return tuple(dict.fromkeys(each.id for each in names.find(outside) if _acts(outside, each, moment)))


def _acts(text: str, mention: Mention, moment: Moment) -> bool:
    return moment.cast[mention.id].kind != "narrator" and acts(text, mention)


def across(moment: Moment, reading: Reading, scene: Surroundings, names: Names) -> dict[str, str]:
    """Id → their place, of those at another place of the story to whom something is called, or who are answered.

    To name somebody who is elsewhere does not reach them: `Bob, wherever you are, forgive me.`
    """
    if moment.placed or reading.confined or not reading.in_story:
        return {}
    called, before = set(reading.addressed), moment.recent[-1] if moment.recent else None
    if before is not None and before.speaker in moment.cast and before.speaker not in moment.cast.narrators:
        me = moment.message.speaker
        answers = not called or before.speaker in called
        if answers and before.speaker != me and _has_called(moment, before, names):
            return _elsewhere(moment, {before.speaker, *called}, scene)
    return _elsewhere(moment, called, scene) if called and _calls_out(moment, reading, names) else {}


def _calls_out(moment: Moment, reading: Reading, names: Names) -> bool:
    """Whether it is said so that it reaches another place: shouted, over a device, or `Ann! Supper!`."""
    if reading.shouted or reading.call == "on":
        return True
    content = moment.message.content
    if any(content[each.end : each.end + 1] == "!" and each.id in reading.addressed for each in names.find(content)):
        return True
    told = _QUOTED.sub(" ", content)
    return (told != content or "*" in content) and _CALLED.search(told) is not None


def _has_called(moment: Moment, before: Message, names: Names) -> bool:
    """Whether the message before was called to the speaker of this one, and reached them."""
    me = moment.message.speaker
    if moment.state.moves_nobody(before.channel):
        return False
    return me in moment.state.last_perceivers and me in spoken_to(before.content, moment.cast[before.speaker], names)


def _elsewhere(moment: Moment, ids: set[str], scene: Surroundings) -> dict[str, str]:
    near = {*scene.near, moment.message.speaker}
    return {
        id: where.place or "" for id in sorted(ids - near) if (where := moment.whereabouts.get(id)) and _hears(where)
    }


def _hears(where: Whereabouts) -> bool:
    """Whether it can be called to them: who sleeps or is on the phone hears otherwise, or nothing."""
    if where.place is None or where.here or where.place.startswith(APART_FROM_ALL):
        return False
    return where.condition in ("awake", "hiding")
