"""What the sharing rule keeps from one call to the next, in the story's own data: what is still to arrive, and budgets.

Of a message something is kept only while tellings of it are still to arrive, or its day is not over. How much somebody
has heard is not a number that is kept: it is counted from what stands, so that a retraction or an edit takes it back.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from pydantic import JsonValue, TypeAdapter

from earwitness import SharingEvent
from earwitness.records.plan import Delivery

from .first_asked import kept_before
from .heard_in_hubs import ToldInHub
from .models.spread import ModelSpread
from .personalities import Personalities
from .records import HubTelling, Telling

TELLINGS = TypeAdapter(list[Telling])
SPREADS = TypeAdapter(list[ModelSpread])
IN_HUBS = TypeAdapter(list[HubTelling])
TOLD, HUBS, ROUNDS = "told:", "hubs:", "rounds:"
TOLD_IN_HUBS = TypeAdapter(list[ToldInHub])
HUBS_ON_DAY = "hubs-on:"
TOLD_ON_DAY, DAYS, SEEN, SAID, SWEPT = "day:", "days", "seen", "said:", "swept"
Counts = Mapping[tuple[str, float], int]
"""Listener and game day → how many tellings they have on that day."""


class Memo:
    """The data of one story, for one call."""

    def __init__(self, event: SharingEvent, people: Personalities) -> None:
        self._event, self._people = event, people
        self._data = event.data
        self._key = event.message.message.key
        self._fresh: dict[float, dict[str, JsonValue]] = {}
        """Day → keys of what was told on it without a message, and is not noted yet."""

    # ── one message ─────────────────────────────────────────────────────────────────────────────────────────────────

    async def earlier_tellings(self) -> dict[str, Telling]:
        """Listener → how they were told of the message, or will be. Those from whom it was taken are not among them."""
        found = TELLINGS.validate_python(self._data.get(f"{TOLD}{self._key}") or [])
        if not found:
            return {}
        holders = {each.owner for each in await self._event.standing.deliveries([self._key])}
        standing = [each for each in found if each.hub or self._people.characters.get(each.listener) in holders]
        return {each.listener: each for each in reversed(standing)}

    def in_hubs(self) -> list[HubTelling]:
        """What hubs were told of the message, or will be."""
        return IN_HUBS.validate_python(self._data.get(f"{HUBS}{self._key}") or [])

    def spreads(self) -> list[ModelSpread]:
        """Where the spreads of the message by named models stand."""
        return SPREADS.validate_python(self._data.get(f"{ROUNDS}{self._key}") or [])

    def keep(
        self, by_listener: Mapping[str, Telling], in_hubs: Sequence[HubTelling], spreads: Sequence[ModelSpread]
    ) -> None:
        """Keep who was told of the message, and how far models are, as long as something arrives after today."""
        every = [*by_listener.values(), *(each for hub in in_hubs for each in hub.tellings)]
        is_left = any(each.day > self._event.day for each in every) or not all(each.told_on_by_now for each in in_hubs)
        hubs = IN_HUBS.dump_python([*in_hubs], mode="json", exclude_defaults=True)
        self._write(f"{HUBS}{self._key}", hubs if is_left and hubs else None)
        tellings = TELLINGS.dump_python([*by_listener.values()], mode="json", exclude_defaults=True)
        self._write(f"{TOLD}{self._key}", tellings if is_left else None)
        self._write(
            f"{ROUNDS}{self._key}", SPREADS.dump_python([*spreads], mode="json") if is_left and spreads else None
        )

    async def sweep(self) -> None:
        """Once a day: forget messages that should have arrived before today and of which nothing stands any more."""
        if self._data.get(SWEPT) == self._event.day:
            return
        self._data[SWEPT] = self._event.day
        kept = {name.removeprefix(TOLD): TELLINGS.validate_python(self._data[name]) for name in self._notes(TOLD)}
        late = [key for key, tellings in kept.items() if all(each.day < self._event.day for each in tellings)]
        asked = dict(kept_before(self._data, self._event.day))
        standing = {each.source for each in await self._event.standing.deliveries([*late, *asked.values()])}
        for name, key in asked.items():
            if key not in standing:
                self._write(name, None)
        for key in set(late) - standing:
            self._write(f"{TOLD}{key}", None)
            self._write(f"{HUBS}{key}", None)
            self._write(f"{ROUNDS}{key}", None)

    def _notes(self, prefix: str) -> list[str]:
        return [name for name in self._data if name.startswith(prefix)]

    # ── days ────────────────────────────────────────────────────────────────────────────────────────────────────────

    async def look_up(self) -> None:
        """Find what was told since this was last asked, by `story.tell` or as a summary: it counts from now on."""
        for each in await self._event.standing.told_after(self._seen()):
            if each.due >= self._event.day:
                self._fresh.setdefault(each.due, {})[each.source] = []

    def _seen(self) -> int:
        """Number of the last entry that was looked at."""
        found = self._data.get(SEEN)
        return found if isinstance(found, int) else 0

    async def heard(self) -> Counts:
        """How much everybody is told today and later, besides the message itself if it was just said (or edited)."""
        of_days = self._of_days()
        keys = {key for of_day in of_days.values() for key in of_day if self._event.arrived or key != self._key}
        standing = await self._event.standing.deliveries(sorted(keys))
        return counted(standing, self._in_hubs(of_days, {each.source for each in standing}), self._people)

    async def heard_on(self, day: float) -> list[Delivery]:
        """What stands of what is told on a day, in messages other than this one."""
        keys = [key for key in self._of_day(day) if key != self._key]
        standing = await self._event.standing.deliveries(keys)
        return [each for each in standing if _is_telling(each) and each.due == day]

    async def in_hubs_on(self, day: float) -> list[ToldInHub]:
        """What stands of what hubs are told for a day, in messages other than this one."""
        noted = [each for each in self._in_hubs_of(day) if each.key != self._key]
        standing = {each.source for each in await self._event.standing.deliveries([each.key for each in noted])}
        return [each for each in noted if each.key in standing]

    def _in_hubs_of(self, day: float) -> list[ToldInHub]:
        return TOLD_IN_HUBS.validate_python(self._data.get(f"{HUBS_ON_DAY}{float(day)!r}") or [])

    def note_in_hubs(self, told: Iterable[ToldInHub]) -> None:
        """Note what hubs are told of the message, for those who are told something else on that day; forget what an
        earlier version of it told, and the days that are over. To be called after `note`."""
        by_day: dict[float, list[ToldInHub]] = {}
        for each in told:
            by_day.setdefault(each.day, []).append(each)
        for day in {*self._days(), *by_day}:
            kept = [each for each in self._in_hubs_of(day) if self._event.arrived or each.key != self._key]
            noted = TOLD_IN_HUBS.dump_python([*kept, *by_day.get(day, ())], mode="json", exclude_defaults=True)
            self._write(f"{HUBS_ON_DAY}{float(day)!r}", noted or None)

    def note(self, tellings: Iterable[Telling]) -> None:
        """Note on which days the message is told, and to whom in hubs; forget the days that are over."""
        days = [day for day in self._days() if day >= self._event.day]
        by_day: dict[float, dict[str, list[JsonValue]]] = {day: {} for day in self._fresh}
        for each in tellings:
            listeners = by_day.setdefault(each.day, {}).setdefault(self._key, [])
            listeners += [each.listener] if each.hub else []
        for day, told in by_day.items():
            self._data[_name_of(day)] = {**self._of_day(day), **told}
        self._write(SEEN, max(self._seen(), self._event.told_at - 1))
        for day in set(self._days()) - set(days):
            self._write(_name_of(day), None)
            self._write(f"{HUBS_ON_DAY}{float(day)!r}", None)
        every = sorted({*days, *by_day})
        if every != self._days():
            self._write(DAYS, [*every])

    def _days(self) -> list[float]:
        found = self._data.get(DAYS)
        return [each for each in found if isinstance(each, int | float)] if isinstance(found, list) else []

    def _of_days(self) -> dict[float, dict[str, JsonValue]]:
        days = (day for day in {*self._days(), *self._fresh} if day >= self._event.day)
        return {day: self._of_day(day) for day in days}

    def _of_day(self, day: float) -> dict[str, JsonValue]:
        noted = self._data.get(_name_of(day))
        return {**self._fresh.get(day, {}), **(noted if isinstance(noted, dict) else {})}

    def _in_hubs(
        self, of_days: Mapping[float, Mapping[str, JsonValue]], standing: Collection[str]
    ) -> Iterator[tuple[str, float]]:
        for day, of_day in of_days.items():
            for key, listeners in of_day.items():
                if key in standing and isinstance(listeners, list):
                    yield from ((str(each), day) for each in listeners)

    # ── texts ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def said_before(self, digest: str) -> list[str]:
        """Keys of the messages that said the same and were told on, oldest first."""
        found = self._data.get(f"{SAID}{digest}")
        return [str(each) for each in found if each != self._key] if isinstance(found, list) else []

    def note_said(self, digest: str) -> None:
        """The message says this, and was told on."""
        keys: list[JsonValue] = [*self.said_before(digest), self._key]
        self._write(f"{SAID}{digest}", keys[-MOST_ALIKE:])

    def _write(self, name: str, value: JsonValue) -> None:
        if value is not None:
            self._data[name] = value
        elif name in self._data:
            del self._data[name]


MOST_ALIKE = 16
"""Of so many messages that say the same it is kept that they do."""


def _name_of(day: float) -> str:
    return f"{TOLD_ON_DAY}{float(day)!r}"


def counted(standing: Iterable[Delivery], in_hubs: Iterable[tuple[str, float]], people: Personalities) -> Counts:
    """How much everybody is told on each day. A memory counts once, on the first day on which it is told. Pure."""
    counts: dict[tuple[str, float], int] = defaultdict(int)
    first: dict[str, Delivery] = {}
    for each in standing:
        if _is_telling(each) and (each.memory_id not in first or each.due < first[each.memory_id].due):
            first[each.memory_id] = each
    for each in first.values():
        counts[people.personality.get(each.owner, each.owner), each.due] += 1
    for listener, day in in_hubs:
        counts[listener, day] += 1
    return counts


def _is_telling(delivery: Delivery) -> bool:
    return delivery.support.shared_from is not None and not delivery.beyond_session
