"""Who is told which summary of a conversation, and in which words; what is told and noted is written elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from earwitness import SettledMessage
from earwitness.records.character import Cast

from .closings import version_of
from .listeners import SummaryOffer
from .personalities import Personalities
from .retell import summary
from .talks import Held, HeldMemory, Talk, as_listener_has_it, said_in

ROOM = 400
"""Characters of a summary."""


@dataclass(frozen=True)
class Received:
    """What a listener has of what they are told."""

    memories: Sequence[tuple[str, str]]
    """Ids of the memories, each with its text."""
    is_new: bool = True
    """Whether it was not told before."""


class Writing(Protocol):
    """What becomes of summaries: a story has them written, a comparison of rules only keeps them in mind."""

    async def noted(self, teller: str, text: str, rests_on: Sequence[str], talk: Talk, version: str = "") -> str:
        """Id of the memory of a teller who notes a text."""
        ...

    async def ask_together(self, offers: Sequence[tuple[Talk, HeldMemory, SummaryOffer]]) -> None:
        """Ask whoever judges several offers at once; `told` is called for each of them next."""
        ...

    async def told(self, teller: str, listener: str, held: HeldMemory, offer: SummaryOffer, talk: Talk) -> Received:
        """What the listener has of what they are told; nothing, if it is not worth telling."""
        ...


class Summaries:
    """Tells what was said in one conversation."""

    def __init__(
        self, writing: Writing, people: Personalities, messages: Iterable[SettledMessage], day: float, held: Held
    ) -> None:
        """`day` is the game day on which tellers sum it up. `held` grows by what everybody has of it."""
        self._writing, self._people, self._cast, self._day = writing, people, people.cast, day
        self._messages = {each.key: each for each in messages}
        self._held = held

    async def tell(self, talks: Sequence[Talk]) -> dict[str, str]:
        """Tell what was not told before. Returns what listeners are told now."""
        texts: dict[str, str] = {}
        for group in self._abreast(talks):
            offers = [(talk, await self._offers(talk)) for talk in group]
            await self._writing.ask_together([(talk, *each) for talk, found in offers for each in found])
            for talk, found in offers:
                for held, offer in found:
                    await self._offer(talk, held, offer, texts)
        return texts

    def _abreast(self, talks: Sequence[Talk]) -> Iterator[list[Talk]]:
        """Talks next to each other of which no one's teller or listener is told by another of them."""
        group: list[Talk] = []
        told: set[str] = set()
        for talk in talks:
            if told.intersection(self._pair(talk)):
                yield group
                group, told = [], set()
            group.append(talk)
            told.add(self._pair(talk)[1])
        if group:
            yield group

    async def _offers(self, talk: Talk) -> list[tuple[HeldMemory, SummaryOffer]]:
        """What the teller of a talk has to tell."""
        held = await self._tellable(self._pair(talk)[0], talk)
        about = self._messages[talk.keys[-1]]
        return [(each, SummaryOffer(talk.telling, each.text, about, talk.most)) for each in held]

    async def _offer(self, talk: Talk, held: HeldMemory, offer: SummaryOffer, texts: dict[str, str]) -> None:
        """Tell one thing; `texts` grows by what the listener is told now."""
        teller, listener = self._pair(talk)
        received = await self._writing.told(teller, listener, held, offer, talk)
        got = [as_listener_has_it(held, memory, text, talk.telling.day) for memory, text in received.memories]
        self._held.setdefault(listener, []).extend(got)
        for copy in got if received.is_new else ():
            texts[listener] = f"{texts[listener]}\n{copy.text}" if listener in texts else copy.text

    def _pair(self, talk: Talk) -> tuple[str, str]:
        characters = self._people.characters
        return characters[talk.telling.teller], characters[talk.telling.listener]

    async def _tellable(self, teller: str, talk: Talk) -> Sequence[HeldMemory]:
        """What a teller tells: at second hand what they were told, without what may not be told to this listener."""
        there = self._held.setdefault(teller, [])
        if talk.telling.hop > 1:
            known = [each for each in there if each.day <= talk.telling.day]
            parts = [await self._part(teller, each, talk) for each in known]
            return [each for each in parts if each is not None]
        if same := [each for each in there if tuple(each.lines) == talk.keys]:
            return same[:1]
        there.append(await self._summed_up(teller, talk))
        return there[-1:]

    async def _part(self, teller: str, held: HeldMemory, talk: Talk) -> HeldMemory | None:
        """The part of a summary that may be told; `None` = nothing. If that is not all of it, the teller notes it."""
        if set(held.lines) <= set(talk.keys):
            return held
        lines = {each: line for each, line in held.lines.items() if each in talk.keys}
        text = "\n".join(filter(None, lines.values()))
        if not text:
            return None
        memory = await self._writing.noted(teller, text, [held.memory], talk)
        return HeldMemory(memory, text, lines, held.day)

    async def _summed_up(self, teller: str, talk: Talk) -> HeldMemory:
        """The summary that a teller notes of what they perceived."""
        heard = {each: self._messages[each] for each in talk.keys}
        lines = _lines(teller, heard, self._cast)
        text = summary([*lines.values()], ROOM)
        memory = await self._writing.noted(teller, text, talk.keys, talk, version_of(heard.values()))
        return HeldMemory(memory, text, {id: said_in(text, line) for id, line in lines.items()}, self._day)


def _lines(teller: str, heard: Mapping[str, SettledMessage], cast: Cast) -> dict[str, str]:
    """Key of each message → who said it, by the name that others know, and what the teller heard of it."""
    names = {id: each.disguises.get(each.speaker, cast[each.speaker].name) for id, each in heard.items()}
    return {id: f"{names[id]}: {each.heard_by(teller)}" for id, each in heard.items()}
