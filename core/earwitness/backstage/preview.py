"""What a preview shows: who would learn a message, and who would not."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ..ids import WORLD
from ..records.message import Message, Participant
from ..records.plan import Answer, Delivery, Plan
from ..records.prose import gist
from ..records.stop import Stopped
from .records import DatedRecord


class Preview(DatedRecord):
    """Who would learn a message if it were said now. Nothing was written."""

    message: Message
    """The message as it would be recorded."""
    participants: dict[str, Participant]
    """The characters who would perceive it."""
    heard: dict[str, str] = {}
    """What those of them would hear who do not hear all of it."""
    addressees: tuple[str, ...] = ()
    """Ids of those of them who are spoken to, the most certain first."""
    deliveries: tuple[Delivery, ...]
    """The deliveries that would be made, including struck ones with the reason."""
    stops: tuple[Stopped, ...] = ()
    """Who would not be told, and what stopped it, as far as sharing rules say."""
    answers: tuple[Answer, ...] = ()
    """The answers of the strategies and plugins that were asked, including failures."""

    def __str__(self) -> str:
        return "\n  ".join([f"{self.message.speaker}: {gist(self.message.content)}", *self._lines()])

    def _lines(self) -> Iterator[str]:
        yield from (f"{id}: {part}" for id, part in self.participants.items())
        for each in self.tellings:
            rule = f"; {each.support.rule}" if each.support.rule else ""
            yield f"{each.owner}: would learn it on {self._day(each)} ({each.learned}{rule})"
        yield from (f"struck for {each.owner}: {each.reason}" for each in self.deliveries if each.status == "struck")
        yield from map(str, self.stops)
        yield from (str(each) for each in self.answers if each.failure)

    def _day(self, delivery: Delivery) -> str:
        return self.calendar.show(delivery.support.learned_day)

    @property
    def tellings(self) -> tuple[Delivery, ...]:
        """How those would learn it who do not perceive it, each in the first way, in the order of days."""
        apart = {WORLD, *self.participants}
        found = [each for each in self.deliveries if each.is_active and each.owner not in apart]
        first = {each.owner: each for each in sorted(found, key=_learned_day, reverse=True)}
        return tuple(sorted(first.values(), key=_learned_day))

    @property
    def learners(self) -> tuple[str, ...]:
        """Owners of the containers it would reach."""
        return tuple(dict.fromkeys(each.owner for each in self.deliveries if each.is_active))

    def seen_by(self, persona: str) -> Preview:
        """The part that the speaker's player may see: what their persona would remember, and nothing of others."""
        there = {id: each for id, each in self.participants.items() if id == persona}
        spoken_to = tuple(id for id in self.addressees if id == persona)
        own = [each for each in self.deliveries if each.owner == persona and each.part == "message" and each.is_active]
        shown = [
            each.model_copy(update={"metadata": {**each.metadata, "participants": list(there)}, "disguises": {}})
            for each in own
        ]
        said = self.message.model_copy(update={"present": None, "audience": None})  # who else is in the channel
        kept = {
            "message": said,
            "participants": there,
            "heard": {id: each for id, each in self.heard.items() if id == persona},
            "addressees": spoken_to,
            "deliveries": tuple(shown),
            "stops": (),
            "answers": (),
        }
        return self.model_copy(update=kept)


def stops_of(plan: Plan, participants: Collection[str]) -> tuple[Stopped, ...]:
    """Who would not be told, without those who perceive it.

    That no rule tells them is left out of those whom another sharing rule tells, or of whom it says what stops it.
    """
    told = {each.owner for each in plan.deliveries}
    named = {each.character for each in plan.stops if each.rule or each.shared_from is not None}
    return tuple(
        each
        for each in plan.stops
        if each.character not in participants
        and (each.rule or each.shared_from is not None or each.character not in told | named)
    )


def _learned_day(delivery: Delivery) -> float:
    return delivery.support.learned_day
