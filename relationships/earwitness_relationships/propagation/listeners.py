"""What somebody has been told on a day, and whether more is worth telling: for summaries of conversations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from earwitness import Earwitness, Session, SettledMessage
from earwitness.containers import character_container
from earwitness.formats import message_text_of
from earwitness.records.plan import Answer, Delivery

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
        self._heard: dict[tuple[str, float], list[Heard]] = {}

    async def text_of(self, offer: SummaryOffer) -> str | None:
        """What the listener is told, in the words of the reteller and the triage; `None` = nothing.

        A triage that fails lets nothing through. Raises whatever a reteller raises.
        """
        try:
            return await self._worded(offer)
        finally:
            while self._context.answers:
                self._record(self._context.answers.pop(0))

    async def _worded(self, offer: SummaryOffer) -> str | None:
        telling = offer.telling
        retold = await self._retellers.text(offer.text, telling, self._context)
        offer = offer if retold is None else replace(offer, text=retold)
        if offer.most is None and telling.triage is None:
            return offer.text
        heard = await self._heard_by(telling)
        if offer.most is not None and len({each.memory for each in heard}) >= offer.most:
            return None
        judged = await self._judged(offer, heard) if telling.triage else TriageOutcome()
        if not judged.told:
            return None
        return offer.text if judged.text is None else judged.text

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
            self._heard[key] = [*{each.memory_id: heard_as(each) for each in told}.values()]
        return self._heard[key]

    async def _judged(self, offer: SummaryOffer, heard: list[Heard]) -> TriageOutcome:
        telling = offer.telling
        passing = Passing(
            session=self._story.id,
            listener=telling.listener,
            day=telling.day,
            tellings=(telling,),
            text=offer.text,
            message=offer.about,
            heard=tuple(heard),
        )
        return await self._triages.judged(str(telling.triage), passing, self._context.answers.append, self._context)


def heard_as(delivery: Delivery) -> Heard:
    """What somebody was told, as a triage sees it."""
    teller = str(delivery.support.shared_from)
    text, speaker = message_text_of(delivery.body) or delivery.body, str(delivery.metadata.get("speaker", teller))
    return Heard(memory=delivery.memory_id, text=text, speaker=speaker, teller=teller, rule=delivery.support.rule or "")
