"""START: reads of containers other than the character's own. Providers request them; memberships permit them.

A request is refused, and reported by name, if the container is not registered, is the world's or another character's,
belongs to another session, or if the reader is not a member on that day.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeVar

from ..consultation import Answered
from ..containers import EVERYBODY, SESSION_KINDS, Container, Membership, character_container
from ..engine import Engine
from ..errors import InvalidFilter, named, quoted
from ..events import Event, ReadProviderEvent, ReadRequest
from ..filters import require_filter
from ..live import Live
from ..plugin_data import PluginData
from ..protocols import Ledger, ReadProvider
from ..records.channel import Channel, apart_in
from ..records.snapshot import Snapshot
from ..strategy import Strategy

Granted = tuple[ReadRequest, Container]
E = TypeVar("E", bound=Event)


@dataclass(frozen=True, slots=True)
class Reader:
    """The character who recalls, and the channel."""

    snapshot: Snapshot
    """The current session."""
    character: str
    """Character id."""
    channel: Channel
    """Where the character is about to speak."""
    forgotten_as: tuple[str, ...] = ()
    """See `ReadProviderEvent`."""

    @classmethod
    def of(cls, live: Live, character: str, channel: Channel) -> Self:
        """A character of a session as it stands."""
        return cls(live.snapshot, character, channel, live.forgotten_as)

    @property
    def personality(self) -> str:
        """The character's personality id, which is the same across sessions."""
        return self.snapshot.cast[self.character].personality_id

    @property
    def own(self) -> Container:
        """The character's own container."""
        return character_container(self.snapshot.id, self.character)

    @property
    def masks(self) -> dict[str, str]:
        """Character id → the mask, of those in disguise whom the reader does not know here by their own name."""
        place = apart_in(self.channel.metadata)
        return self.snapshot.hidden_from(self.character, self.snapshot.guises, place)

    def event(self, event: Callable[..., E], /, **more: Any) -> E:
        """An event of this class about the reader, who is about to speak today, and `more` of its fields."""
        snapshot = self.snapshot
        return event(
            session=snapshot.id,
            cast=snapshot.cast,
            state=snapshot.state,
            day=snapshot.state.game_day,
            channel=self.channel,
            character=self.character,
            **more,
        )

    def may_read(self, container: Container) -> bool:
        """Whether members may read it here: not if it is the world's, another character's or another session's."""
        return container.kind not in SESSION_KINDS and container.session in {None, self.snapshot.id}


@dataclass(frozen=True, slots=True)
class ReadableContainers:
    """A provider's view of the register: the containers that this reader may read."""

    ledger: Ledger
    reader: Reader

    async def readable(self, *, kind: str | None = None, names: Sequence[str] | None = None) -> Sequence[Container]:
        """The containers besides its own that the reader may read today: all, those of a kind, or by name."""
        held = [*await self.ledger.memberships(containers=names, member=self.reader.personality, kind=kind)]
        if names is not None:
            held += await self.ledger.memberships(containers=names, member=EVERYBODY, kind=kind)
        day = self.reader.snapshot.state.game_day
        today = list(dict.fromkeys(each.container for each in held if each.holds_on(day)))
        found = await self.ledger.claimed(today) if today else ()
        return [each for each in found if self.reader.may_read(each)]


async def requested(
    engine: Engine, reader: Reader, query: str, data: Mapping[str, PluginData], memories: int | None = None
) -> tuple[list[Granted], list[str], list[str]]:
    """The granted requests of the providers; the failures of providers; and why other requests are refused.

    `memories` is how many of their own the reader asks for; `None` = as the settings say.
    Raises `StrategyError` for a failing provider if `strict`.
    """
    if not engine.read_providers:
        return [], [], []
    own = engine.settings.recall.memories if memories is None else memories
    event = _event(engine, reader, query, own)
    answers = await asyncio.gather(*(_asked(engine, each, event, data) for each in engine.read_providers))
    asked = [(answer.by, request) for answer in answers for request in answer.value or ()]
    decided = await _decided(engine.ledger, reader, [request for _, request in asked])
    granted = [each for each in decided if not isinstance(each, str)]
    refused = [f"{by}: {each}" for (by, _), each in zip(asked, decided, strict=True) if isinstance(each, str)]
    return granted, [answer.label for answer in answers if answer.failure], refused


def read_requests(answer: object) -> tuple[list[ReadRequest] | None, str | None]:
    """A provider's answer as a list, or the reason why it is invalid. One invalid item invalidates the whole answer."""
    try:
        requests = list(answer) if isinstance(answer, Iterable) else None
        if requests is None or not all(isinstance(each, ReadRequest) for each in requests):
            return None, f"answered {quoted(answer)}, expected any number of ReadRequest"
        for each in requests:
            require_filter(each.filter)
    except InvalidFilter as error:
        return None, f"answered {error}"
    except Exception as error:  # noqa: BLE001 - a stranger's generator may raise anything
        return None, named(error)
    return requests, None


def _event(engine: Engine, reader: Reader, query: str, memories: int) -> ReadProviderEvent:
    snapshot = reader.snapshot
    return reader.event(
        ReadProviderEvent,
        personality=reader.personality,
        query=query,
        memories=memories,
        forked_from=tuple(dict.fromkeys(each for each in (snapshot.parent, snapshot.origin) if each)),
        forgotten_as=reader.forgotten_as,
        containers=ReadableContainers(engine.ledger, reader),
    )


async def _asked(
    engine: Engine, provider: Strategy[ReadProvider], event: ReadProviderEvent, data: Mapping[str, PluginData]
) -> Answered[list[ReadRequest]]:
    return await engine.consultant.ask(provider, ReadProvider.reads, event, read_requests, data)


async def _decided(ledger: Ledger, reader: Reader, requests: Sequence[ReadRequest]) -> list[Granted | str]:
    """Each request with its container, or the reason why it is refused."""
    names = sorted({each.container for each in requests} - {reader.own.name})
    if not names:
        return [(each, reader.own) for each in requests]
    found = {each.name: each for each in await ledger.claimed(names)}
    held = await _held(ledger, reader, names)
    found[reader.own.name] = reader.own
    return [_granted(reader, each, found.get(each.container), held) for each in requests]


async def _held(ledger: Ledger, reader: Reader, names: Sequence[str]) -> Sequence[Membership]:
    """The reader's memberships in these containers, and for the others those of everybody."""
    own = await ledger.memberships(containers=names, member=reader.personality)
    others = sorted({*names} - {each.container for each in own})
    return [*own, *(await ledger.memberships(containers=others, member=EVERYBODY))] if others else own


def _granted(
    reader: Reader, request: ReadRequest, container: Container | None, held: Sequence[Membership]
) -> Granted | str:
    name, day = request.container, reader.snapshot.state.game_day
    if container is None:
        return f"container {name!r} is not registered"
    if container == reader.own:
        return request, container
    if not reader.may_read(container):
        where = "" if container.session is None else f" in session {container.session!r}"
        return f"container {name!r} is the {container.kind} container of {container.owner!r}{where}"
    if not any(each.holds_on(day) for each in held if each.container == name):
        return f"{reader.personality!r} is not a member of container {name!r} on game day {day}"
    return request, container
