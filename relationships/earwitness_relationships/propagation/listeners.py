"""What somebody has been told on a day, and whether more is worth telling: for summaries of conversations."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from earwitness import Earwitness, Session, SettledMessage
from earwitness.containers import character_container
from earwitness.formats import message_text_of
from earwitness.records.plan import Answer, Delivery

from .heard_in_hubs import HeardInHubs
from .personalities import Personalities
from .question_context import QuestionContext
from .records import Telling
from .retell import Retellers
from .triage import Heard, Passing, TriageOutcome, Triages


@dataclass(frozen=True)
class SummaryOffer:
    """A summary that somebody would be told."""

    telling: Telling
    """By whom, on which day, by which rule."""
    text: str
    """What it says."""
    about: SettledMessage
    """The last message that it is about."""
    most: int | None = None
    """The most that the listener may be told on a day, by the rule's `budget.listener_day`."""


class Listeners:
    """What listeners are told on each day, while a conversation is closed."""

    def __init__(
        self,
        story: Session,
        ew: Earwitness,
        people: Personalities,
        record: Callable[[Answer], None] = lambda _: None,
    ) -> None:
        """`record` is told what retellers and triages answer."""
        self._story, self._ew, self._people, self._record = story, ew, people, record
        self._retellers = Retellers.shared(ew.settings, ew.resources, ew.strategies)
        self._triages = Triages.shared(ew.settings, ew.resources, ew.strategies)
        self._context = QuestionContext(story.id, strict=ew.settings.strict)
        self._in_hubs = HeardInHubs(story, ew)
        self._heard: dict[tuple[str, float], list[Heard]] = {}

    async def text_of(self, offer: SummaryOffer) -> str | None:
        """What the listener is told, in the words of the reteller and the triage; `None` = nothing.

        A triage that fails lets nothing through. Raises whatever a reteller raises.
        """
        try:
            return await self._worded(offer)
        finally:
            self._record_answers()

    async def ask_together(self, offers: Iterable[SummaryOffer]) -> None:
        """Ask retellers and triages that judge several listeners at once, once about all who would be told the same;
        `text_of` knows it then. No listener may be among them twice. Raises whatever a reteller raises."""
        by_text: dict[str, list[SummaryOffer]] = {}
        try:
            for each in offers:
                by_text.setdefault(each.text, []).append(each)
            for same in by_text.values():
                await self._retellers.together([(each.text, each.telling) for each in same], self._context)
                asked = [(str(each.telling.triage), await self._passing(each)) for each in await self._open(same)]
                await self._triages.together(asked, self._context)
        finally:
            self._record_answers()

    async def _open(self, offers: Iterable[SummaryOffer]) -> list[SummaryOffer]:
        """Those about whom a triage is to be asked, in the words of the reteller."""
        found: list[SummaryOffer] = []
        for each in offers:
            if each.telling.triage is not None and not await self._is_enough(each):
                retold = await self._retellers.text(each.text, each.telling, self._context)
                found.append(each if retold is None else replace(each, text=retold))
        return found

    def _record_answers(self) -> None:
        while self._context.answers:
            self._record(self._context.answers.pop(0))

    async def _worded(self, offer: SummaryOffer) -> str | None:
        telling = offer.telling
        retold = await self._retellers.text(offer.text, telling, self._context)
        offer = offer if retold is None else replace(offer, text=retold)
        if offer.most is None and telling.triage is None:
            return offer.text
        if await self._is_enough(offer):
            return None
        judged = await self._judged(offer) if telling.triage else TriageOutcome()
        if not judged.told:
            return None
        return offer.text if judged.text is None else judged.text

    async def _is_enough(self, offer: SummaryOffer) -> bool:
        """Whether the listener has been told enough on that day."""
        if offer.most is None:
            return False
        return len({each.memory for each in await self._heard_by(offer.telling)}) >= offer.most

    def note(self, telling: Telling, memory: str, text: str) -> None:
        """The listener is told this now."""
        if (heard := self._heard.get((telling.listener, telling.day))) is not None:
            teller = telling.teller
            heard.append(Heard(memory=memory, text=text, speaker=teller, teller=teller, rule=telling.rule))

    async def _heard_by(self, telling: Telling) -> list[Heard]:
        key = telling.listener, telling.day
        if key not in self._heard:
            own = character_container(self._story.id, self._people.characters[telling.listener]).name
            found = await self._ew.engine.ledger.deliveries(self._story.id, container=own, due_by=telling.day)
            told = [each for each in found if each.is_active and each.support.shared_from and each.due == telling.day]
            told += await self._in_hubs.by(telling.listener, telling.day)
            self._heard[key] = [*{each.memory_id: heard_as(each) for each in told}.values()]
        return self._heard[key]

    async def _judged(self, offer: SummaryOffer) -> TriageOutcome:
        passing, record = await self._passing(offer), self._context.answers.append
        return await self._triages.judged(str(offer.telling.triage), passing, record, self._context)

    async def _passing(self, offer: SummaryOffer) -> Passing:
        telling = offer.telling
        return Passing(
            session=self._story.id,
            listener=telling.listener,
            day=telling.day,
            tellings=(telling,),
            text=offer.text,
            message=offer.about,
            heard=tuple(await self._heard_by(telling)),
        )


def heard_as(delivery: Delivery) -> Heard:
    """What somebody was told, as a triage sees it."""
    teller = str(delivery.support.shared_from)
    text, speaker = message_text_of(delivery.body) or delivery.body, str(delivery.metadata.get("speaker", teller))
    return Heard(memory=delivery.memory_id, text=text, speaker=speaker, teller=teller, rule=delivery.support.rule or "")
