"""From tellings to shares: who tells what, in which words, whether it is worth it, and as which memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from earwitness import Share, SharingEvent
from earwitness.formats import message_text_of
from earwitness.records.memory_types import FACT_ID, TOLD_AT, MetaValue
from earwitness.records.plan import Answer, Delivery

from ..said_alike import digest_of, fact_id
from .hub_readers import HubReaders
from .memo import Memo
from .personalities import Personalities
from .question_context import QuestionContext
from .records import Stop, Telling
from .retell import Retellers
from .same_fact import EarlierTellings, read_alike, says_the_same
from .triage import Heard, Passing, TriageOutcome, Triages


@dataclass
class PassedOn:
    """What is passed on of a message."""

    shares: list[Share] = field(default_factory=list)
    """One for each telling."""
    tellings: list[Telling] = field(default_factory=list)
    """The tellings of these shares."""
    stops: list[Stop] = field(default_factory=list)
    """Who is not told after all, and why."""
    consulted: list[Answer] = field(default_factory=list)
    """The triages that were asked."""


@dataclass(frozen=True)
class Worded:
    """What one listener would be told."""

    heard: Sequence[str]
    """What each teller knows."""
    texts: Sequence[str | None]
    """How each words it; `None` = just so."""

    @property
    def first(self) -> str:
        """The words of the first teller, which count."""
        return self.heard[0] if self.texts[0] is None else self.texts[0]


class PassingOn:
    """Passes one message on."""

    def __init__(
        self,
        event: SharingEvent,
        people: Personalities,
        memo: Memo,
        retellers: Retellers,
        triages: Triages,
        read: Mapping[str, str] | None = None,
        context: QuestionContext | None = None,
        readers: HubReaders | None = None,
        *,
        beside_hubs: bool = False,
    ) -> None:
        """`read` is what some listeners have read in a hub, by personality id: they know it in those words. `readers`
        says who reads in hubs, `None` = nobody, and `beside_hubs` whether somebody may read the same fact there."""
        self._beside_hubs, self._readers = beside_hubs, readers
        self._event, self._people, self._memo = event, people, memo
        self._retellers, self._triages = retellers, triages
        self._read = read or {}
        self._context = context or QuestionContext(event.session, event.message.message.key)
        self._heard: dict[float, dict[str, list[Delivery]]] = {}
        self._earlier: EarlierTellings | None = None

    async def passed_on(self, tellings: Iterable[Telling], words: dict[str, str]) -> PassedOn:
        """A share for each telling that is worth it, whose teller tells what they know.

        `words` has that of each character, and grows by what listeners learn. Raises whatever a reteller raises.
        """
        passed, digest = PassedOn(consulted=self._context.answers), self._digest()
        left = by_listener(tellings)
        while left:
            groups, left = self._next(left, words)
            worded = await self._worded(groups, words)
            for group, texts in zip(groups, worded, strict=True):
                await self._tell(group, texts, words, passed, digest)
        if digest is not None and passed.shares and self._event.ahead is None:
            self._memo.note_said(digest)
        return passed

    def _digest(self) -> str | None:
        """What the message says, as far as another may say the same; an edited or masked one stands for itself."""
        settled = self._event.message
        return None if settled.message.revision or settled.disguises else digest_of(settled.message.content)

    def _next(
        self, groups: list[list[Telling]], words: Mapping[str, str]
    ) -> tuple[list[list[Telling]], list[list[Telling]]]:
        """The tellings that can be told now, by listener, and the rest: somebody must be told before it."""
        now: list[list[Telling]] = []
        listeners: set[str] = set()
        for number, group in enumerate(groups):
            if any(each.teller in listeners for each in group):
                return now, groups[number:]
            if known := [each for each in group if self._people.characters[each.teller] in words]:
                now.append(known)
                listeners.add(known[0].listener)
        return now, []

    async def _worded(self, groups: Sequence[Sequence[Telling]], words: Mapping[str, str]) -> list[Worded]:
        """What each listener is told by each teller. Strategies that judge several at once are asked here."""
        heard = [[words[self._people.characters[each.teller]] for each in group] for group in groups]
        every = [
            (text, each)
            for group, said in zip(groups, heard, strict=True)
            for text, each in zip(said, group, strict=True)
        ]
        await self._retellers.together(
            [(text, each) for text, each in every if each.listener not in self._read], self._context
        )
        worded = [
            Worded(said, [await self._text(text, each) for text, each in zip(said, group, strict=True)])
            for group, said in zip(groups, heard, strict=True)
        ]
        asked = [
            (name, await self._passing(group, texts.first))
            for group, texts in zip(groups, worded, strict=True)
            if (name := group[0].triage) is not None and texts.first and self._triages.is_of_many(name)
        ]
        await self._triages.together(asked, self._context)
        return worded

    async def _tell(
        self,
        group: Sequence[Telling],
        worded: Worded,
        words: dict[str, str],
        passed: PassedOn,
        digest: str | None,
    ) -> None:
        """Tell one listener, whom several may tell."""
        listener = self._people.characters[group[0].listener]
        judged = await self._judged(group, worded.first, passed)
        if not judged.told:
            first = group[0]
            stop = Stop(listener=first.listener, teller=first.teller, rule=first.rule, why=judged.why)
            passed.stops.append(stop)
            return
        words.setdefault(listener, worded.first if judged.text is None else judged.text)
        for each, text in zip(group, worded.texts, strict=True):
            own = text if judged.text is None else judged.text
            memory = judged.memory or await self._same(each, words[listener], digest)
            share = share_of(each, self._people, own, memory)
            passed.shares.append(share if memory or not self._beside_hubs else self._with_fact(share, words[listener]))
            passed.tellings.append(each)

    def _with_fact(self, share: Share, text: str) -> Share:
        """The share, with what says that a hub tells the same fact: it is read once."""
        fact = fact_id(self._event, text, str(share.metadata.get("pantheonId")), share.how)
        if fact is None:
            return share
        same: dict[str, MetaValue] = {FACT_ID: fact}
        return share.model_copy(update={"metadata": {**share.metadata, **same, TOLD_AT: self._event.told_at}})

    async def _text(self, heard: str, telling: Telling) -> str | None:
        known = self._read.get(telling.listener)
        return await self._retellers.text(heard, telling, self._context) if known is None else known

    async def _same(self, telling: Telling, text: str, digest: str | None) -> str | None:
        """The listener's memory of the same fact from another message."""
        if digest is None:
            return None
        if self._earlier is None:
            standing = await self._event.standing.deliveries(self._memo.said_before(digest))
            self._earlier = EarlierTellings(self._event, standing)
        return self._earlier.memory(self._people.characters[telling.listener], text, telling)

    async def _judged(self, group: Sequence[Telling], text: str, passed: PassedOn) -> TriageOutcome:
        name = group[0].triage
        if name is None or not text:
            return TriageOutcome()
        passing = await self._passing(group, text)
        return await self._triages.judged(name, passing, passed.consulted.append, self._context)

    async def _passing(self, group: Sequence[Telling], text: str) -> Passing:
        first = group[0]
        return Passing(
            session=self._event.session,
            listener=first.listener,
            day=first.day,
            tellings=tuple(group),
            text=text,
            message=self._event.message,
            heard=tuple(await self._heard_by(first, text)),
        )

    async def _heard_by(self, telling: Telling, text: str) -> list[Heard]:
        """What else the listener is told on the day of a telling, as copies and in hubs."""
        if telling.day not in self._heard:
            of_day: dict[str, list[Delivery]] = {}
            for each in await self._memo.heard_on(telling.day):
                of_day.setdefault(each.owner, []).append(each)
            self._heard[telling.day] = of_day
        found = self._heard[telling.day].get(self._people.characters[telling.listener], ())
        heard = [self._as_heard(each, telling, text) for each in found]
        if self._readers is not None:
            for told in await self._memo.in_hubs_on(telling.day):
                heard += told.heard_by(telling.listener, self._readers, self._people)
        return heard

    def _as_heard(self, each: Delivery, telling: Telling, text: str) -> Heard:
        heard = message_text_of(each.body)
        return Heard(
            memory=each.memory_id,
            text=heard,
            speaker=str(each.metadata.get("speaker", "")),
            teller=str(each.support.shared_from),
            rule=each.support.rule or "",
            may_merge=says_the_same(heard, text) and read_alike(each, telling, self._event),
        )


def by_listener(tellings: Iterable[Telling]) -> list[list[Telling]]:
    """The tellings of each listener together, in the order of the first ones."""
    groups: dict[str, list[Telling]] = {}
    for each in tellings:
        groups.setdefault(each.listener, []).append(each)
    return [*groups.values()]


def share_of(telling: Telling, people: Personalities, text: str | None, memory: str | None = None) -> Share:
    """A telling as core takes it. `memory` is a memory of the same fact that it supports."""
    return Share(
        character=people.characters[telling.listener],
        how=telling.how,
        shared_from=people.characters[telling.teller],
        rule=telling.rule,
        due=telling.day,
        content=text,
        metadata=dict(_metadata(telling)),
        trust=telling.trust,
        memory=memory,
    )


def _metadata(telling: Telling) -> Iterator[tuple[str, str | int | float]]:
    if telling.pantheon is not None:
        yield "pantheonId", telling.pantheon
    yield "hop", telling.hop
    yield "strength", round(telling.strength, 6)
