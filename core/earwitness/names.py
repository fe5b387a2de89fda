"""Name resolution: the names a host uses for characters, audiences and places, as ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TypeVar

from .end.decider import Decider
from .errors import InputError, StorageError, UnknownName, unknown
from .live import Live
from .records.character import Character
from .records.update import Audience
from .validation.arguments import several
from .validation.messages import mask_name

T = TypeVar("T")


class NameResolver:
    """Looks names up in one session's cast."""

    def __init__(self, live: Live, decider: Decider) -> None:
        self._live = live
        self._decider = decider

    def member(self, name: str) -> Character:
        """The character with this id, name or alias. Raises `UnknownName` if this handle knows none."""
        return self._live.snapshot.cast.named(name)

    async def found(self, asked: Callable[[], T]) -> T:
        """The result of a lookup.

        If a name is unknown, the session catches up once: another process may have added it.
        """
        try:
            return asked()
        except UnknownName:
            with suppress(StorageError):
                await self._decider.caught_up()
            return asked()

    async def id(self, name: str) -> str:
        """The id of this character. Raises `UnknownName`."""
        (id,) = await self.ids(name)
        return id

    async def own_id(self, name: str) -> str:
        """The id of the character with this id, name or alias; a mask names nobody here. Raises `UnknownName`."""
        return await self.found(lambda: self.member(name).id)

    async def ids(self, *names: str) -> tuple[str, ...]:
        """The ids of these characters, who may also be named by a mask. Raises `UnknownName`."""
        return await self.found(lambda: self._wearers(names))

    def _wearers(self, names: tuple[str, ...]) -> tuple[str, ...]:
        snapshot = self._live.snapshot
        ids = snapshot.cast.by_id
        are_ids = {str}.issuperset(map(type, names)) and all(map(ids.__contains__, names))  # thousands of names
        if are_ids and not snapshot.masks:
            return names
        return tuple([self.wearer(each) for each in names])

    async def speaker(self, name: str) -> tuple[str, str | None]:
        """The id of who speaks, and the mask if that is what they are named by. Raises `UnknownName`."""
        id = await self.id(name)
        snapshot = self._live.snapshot
        return id, None if snapshot.cast.called(name) else snapshot.mask_called(name, id)

    async def listed(self, what: str, names: Iterable[str] | None) -> tuple[str, ...] | None:
        """The ids of those whom an argument names, such as `present`; `None` without it. Raises `UnknownName`."""
        return None if names is None else await self.ids(*several(what, names))

    def mask(self, speaker: str, speak_as: str | None) -> str | None:
        """The name under which somebody speaks in disguise. See `mask_name`."""
        snapshot = self._live.snapshot
        return mask_name(snapshot.cast, speaker, speak_as, snapshot.masks.get(speaker, ()))

    def worn(self, character: str, name: str | None) -> tuple[str, str]:
        """A character, and a name under which they have spoken in disguise: by default the last one.

        `character` may also be that name, if one character alone has it. Raises `UnknownName`.
        """
        wearer, snapshot = self.wearer(character), self._live.snapshot
        names = snapshot.masks.get(wearer, ())
        if not names:
            raise UnknownName(f"{wearer!r} has not spoken in disguise: there is nothing to unmask.")
        last = name or snapshot.mask_called(character, wearer) or names[-1]
        if last not in names:
            raise unknown(f"disguise of {wearer}", last, names)
        return wearer, last

    def wearer(self, name: str) -> str:
        """The id of a character, who may also be named by a mask that nobody else has worn. Raises `UnknownName`."""
        found = self._live.snapshot.wearers(name)
        if len(found) > 1:
            raise UnknownName(f"{name!r} has been the mask of {' and of '.join(found)}: give the id.")
        return found[0] if found else self.member(name).id

    async def audience(self, audience: Audience | list[str]) -> Audience:
        """An audience with ids in place of names. Raises `UnknownName`, and `InputError` for an unknown keyword."""
        if not isinstance(audience, str):
            return await self.ids(*several("audience", audience))
        if audience not in {"present", "public"}:
            raise InputError(f"audience {audience!r} must be 'present', 'public' or a list of character ids.")
        return audience
