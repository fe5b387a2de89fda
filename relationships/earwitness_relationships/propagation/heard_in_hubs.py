"""What somebody was told on a day in the hubs of their pantheons, beside their own copies: it counts as much."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from earwitness import Earwitness, Record, Session, SharingEvent
from earwitness.carried_hubs import is_hub_memory
from earwitness.containers import pantheon_container
from earwitness.filters import matches
from earwitness.ids import memory_id
from earwitness.memories import memory_of
from earwitness.records.plan import DERIVED, Delivery, grouped
from earwitness.records.state import Day

from ..model import StoryPicture
from ..pantheons.desk import model_of
from ..pantheons.held import held_memberships, pantheons_left
from .hub_readers import HubDays, HubReaders, read_by
from .hubs import KNOWN_TO, identity_of
from .personalities import Personalities
from .records import HubTelling
from .triage import Heard


class ToldInHub(Record):
    """What a hub was told of a message, as it is noted for those who are told something else on that day."""

    key: str
    """The message's key."""
    day: Day
    """The game day on which it arrives."""
    hub: HubTelling
    """What the hub was told."""
    known: tuple[str, ...] = ()
    """Personality ids of those who know it otherwise."""
    memory: str
    """Id of the memory in the hub."""
    speaker: str
    """Id of the character who said it."""

    def heard_by(self, listener: str, readers: HubReaders, people: Personalities) -> Iterator[Heard]:
        """What it is to somebody who is told something else: nothing, unless they read it there."""
        is_other = listener in self.known or listener in self.hub.others
        if not is_other and self.hub.text and listener in readers.of(self.hub).ids:
            first = self.hub.tellings[0]
            teller = people.characters.get(first.teller, first.teller)
            text = self.hub.text
            yield Heard(memory=self.memory, text=text, speaker=self.speaker, teller=teller, rule=first.rule)


def told_in_hub(event: SharingEvent, hub: HubTelling, known: Iterable[str]) -> ToldInHub:
    """What is noted of what a hub is told."""
    container = pantheon_container(hub.slug).name
    message = event.message.message
    return ToldInHub(
        key=message.key,
        day=hub.tellings[0].day,
        hub=hub,
        known=tuple(sorted({*known})),
        memory=memory_id(event.session, f"#same-{identity_of(event, hub)}", 0, container, DERIVED),
        speaker=message.speaker,
    )


class HeardInHubs:
    """What the characters of a story read in hubs, looked up in its ledger once for each day."""

    def __init__(self, story: Session, ew: Earwitness) -> None:
        self._story, self._ew = story, ew
        self._told: dict[tuple[str, float], list[list[Delivery]]] = {}

    async def by(self, personality: str, day: float) -> list[Delivery]:
        """The first telling of each memory that somebody reads in a hub since this day. Raises `StorageError`."""
        picture = await model_of(self._ew).picture(self._story.id, self._story.state)
        slugs = [each.slug for each in picture.book.pantheons if each.has_hub]
        slugs = [*dict.fromkeys((*slugs, *pantheons_left(picture.graph, personality)))]
        groups = [(slug, group) for slug in slugs for group in await self._told_on(slug, day)]
        return [group[0] for slug, group in groups if _reads(picture, slug, personality, group)]

    async def _told_on(self, slug: str, day: float) -> list[list[Delivery]]:
        """What arrived in a hub on a day, by memory."""
        if (slug, day) not in self._told:
            name, ledger = pantheon_container(slug).name, self._ew.engine.ledger
            there = await ledger.deliveries(self._story.id, container=name, derived=True, due_by=day)
            told = [each for each in there if each.due == day and each.is_active and is_hub_memory(each)]
            self._told[slug, day] = grouped(told, lambda each: each.memory_id)
        return self._told[slug, day]


def _reads(picture: StoryPicture, slug: str, personality: str, told: list[Delivery]) -> bool:
    """Whether somebody may read it there, and does not know it otherwise."""
    metadata = memory_of(told, ()).metadata
    known = metadata.get(KNOWN_TO)
    held = held_memberships(picture.book.pantheon(slug), picture.graph, slug, personality)
    is_known = isinstance(known, list) and personality in known
    return not is_known and matches(read_by(held, HubDays({})), metadata)
