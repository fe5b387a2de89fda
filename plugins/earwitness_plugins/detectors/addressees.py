"""The detector that says who is spoken to, where talk comes without stage directions: novels, chats, bare dialogue.

It weighs who held the floor last, how long others have been silent, who is called by name and who is only talked about
(`addressing`). It does not say who overhears: the `rules` do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Annotated, ClassVar

from pydantic import Field

from earwitness.records.moment import Moment, Perceived, Presence

from .dialogue.clues import Situation
from .dialogue.conversation import Conversation
from .dialogue.line_words import LineParser
from .dialogue.weights import AddresseeBelief, believed
from .text import THREAD_FROM
from .text.first_messages import on_thread
from .warm_up import warm_up

_MEANT = 0.97
_ONLY_OTHER = 0.9
_AT_THE_BEGINNING = 0.6
_NOT_FOR_THEM = Perceived(probability=0.02, role="present", evidence=("here, but it is not for them",))


class AddresseesDetector:
    """Who is spoken to, online, without a model. Pure: the same moment gives the same presence.

    Everybody it names has the role `addressee`, with the probability of being one. Where a host notes in a message's
    metadata where the words stand in a book (`{"spans": [[first, behind], …]}`, offsets in characters), a long stretch
    of untold narration counts as a pause; else the length of narrators' messages does.
    """

    thread_from: ClassVar[int] = THREAD_FROM
    """Longer messages are judged on a thread."""
    on_thread = staticmethod(on_thread)
    """So are the first ones of a process."""
    fittable: ClassVar[dict[str, tuple[float, float]]] = {"lean": (-1.5, 1.5)}

    def __init__(self, *, recent: Annotated[int, Field(ge=0)] = 24, lean: float = 0.0) -> None:
        """`recent` messages are reread; `lean` (log-odds) above 0 takes more as spoken to, below 0 fewer."""
        self.recent = recent
        self.lean = lean
        self._reader = lru_cache(maxsize=64)(LineParser)

    def warm_up(self) -> None:
        """What it reads with is loaded before the first message."""
        warm_up(self)

    def detect(self, moment: Moment) -> Presence:
        """The speaker, and everybody who may be spoken to. Narration speaks to nobody."""
        speaker = moment.cast[moment.message.speaker]
        said = Presence.only(speaker.id)
        if speaker.kind == "narrator":
            return said
        reader = self._reader(moment.cast.members)
        situation = Situation(Conversation.of(moment, reader, self.recent), reader.titles)
        listeners = {id: _listener(belief) for id, belief in self._listeners(moment, situation)}
        return Presence(characters={**said.characters, **_shut_out(moment, situation), **listeners})

    def _listeners(self, moment: Moment, situation: Situation) -> Iterable[tuple[str, AddresseeBelief]]:
        confined = situation.talk.now.words.confined
        if confined:
            meant = set(confined.listeners) - {moment.message.speaker}
            return (
                (id, AddresseeBelief(_MEANT, (f"meant by the {confined.how}",))) for id in _reachable(moment, meant)
            )
        weighed = dict(self._weighed(moment, situation))
        return _directly(weighed, situation) if moment.message.context == "dm" else weighed.items()

    def _weighed(self, moment: Moment, situation: Situation) -> Iterator[tuple[str, AddresseeBelief]]:
        """Whoever spoke, is here or is named, and is not known to be elsewhere."""
        talk = situation.talk
        spoke = {line.speaker for line in talk.before}
        here = set(moment.state.here)
        candidates = spoke | here | talk.now.words.called | talk.now.words.named
        open_talk = not spoke - {talk.now.speaker} and not talk.now.words.called
        others_here = _reachable(moment, here - {talk.now.speaker})
        for id in _reachable(moment, candidates - {talk.now.speaker}, talk):
            belief = believed(situation.clues(id), talk.kind, last=id == situation.last, lean=self.lean)
            if others_here == [id] and not talk.now.words.called - {id}:
                belief = _at_least(_ONLY_OTHER, belief, "nobody else is here")
            elif id in others_here and open_talk:
                belief = _at_least(_AT_THE_BEGINNING, belief, "here as the talk begins")
            yield id, belief


def _reachable(moment: Moment, ids: Iterable[str], talk: Conversation | None = None) -> list[str]:
    """Those of the cast who are not known to be elsewhere. Who has spoken since they were seen to go is back."""
    spoke = {line.speaker: line.sequence for line in reversed(talk.before)} if talk else {}
    return [id for id in sorted(ids) if id in moment.cast and not _elsewhere(moment, id, spoke.get(id, -1))]


def _elsewhere(moment: Moment, id: str, spoke: int) -> bool:
    """Narrators are never spoken to; a direct message reaches anybody."""
    if moment.cast[id].kind == "narrator":
        return True
    where = moment.whereabouts.get(id)
    return where is not None and not where.here and spoke < where.since and moment.message.context != "dm"


def _shut_out(moment: Moment, situation: Situation) -> dict[str, Perceived]:
    """Those who are here while something is said that is not for everybody."""
    confined = situation.talk.now.words.confined
    others = (id for id in moment.state.here if id in moment.cast and id != moment.message.speaker)
    return {} if confined is None else dict.fromkeys(others, _NOT_FOR_THEM)


def _directly(weighed: dict[str, AddresseeBelief], situation: Situation) -> list[tuple[str, AddresseeBelief]]:
    """A direct message is for those it calls by name, else for the other of the last exchange, else for nobody."""
    called = situation.talk.now.words.called & weighed.keys()
    meant = called or [id for id in weighed if id == situation.last]
    return [(id, _at_least(_MEANT, weighed[id], "a direct message")) for id in sorted(meant)]


def _at_least(probability: float, belief: AddresseeBelief, why: str) -> AddresseeBelief:
    return AddresseeBelief(max(probability, belief.probability), (why, *belief.evidence))


def _listener(belief: AddresseeBelief) -> Perceived:
    return Perceived(probability=belief.probability, role="addressee", evidence=belief.evidence)
