"""Written by scripts/generate_sync.py from the asynchronous `Backstage`. To change it, change that: `make sync`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..backstage.backstage import Backstage as AsyncBackstage
from ..backstage.records import Before, ContainerPage, Explanation, Overview, Preview, Replanned, WhoKnows
from ..filters import EVERYTHING, Filter
from ..records.channel import Channel, Context
from ..records.journal import Entry
from ..records.memory import Hit
from .loop import Mirror
from .outcome import Outcome


class Backstage(Mirror[AsyncBackstage]):
    """The author's view of one session, or a player's of their persona. Made by `Session.backstage`.

    Every call raises `NotPermitted` for what the role may not see or do.
    """

    @property
    def persona(self) -> str | None:
        """A player's persona (character id)."""
        return self._behind.persona

    @property
    def role(self) -> str:
        """Noted with what is done."""
        return self._behind.role

    def who_knows(self, question: str) -> WhoKnows:
        """Every character: nothing found, or since when and how, with the memory that proves it."""
        return self._call(self._behind.who_knows, question)

    def explain(self, memory_id: str) -> Explanation:
        """How did this memory get there? Hop by hop. Raises `UnknownName`."""
        return self._call(self._behind.explain, memory_id)

    def preview(
        self,
        speaker: str,
        content: str,
        *,
        present: Iterable[str] | None = None,
        context: Context | None = None,
        channel: Channel | None = None,
    ) -> Preview:
        """Who would learn this if it were said here and now? Asks everybody END would ask, and writes nothing.

        A player may ask it of their persona's words only, and sees no news told along to others. Raises as
        `Session.say`.
        """
        return self._call(self._behind.preview, speaker, content, present=present, context=context, channel=channel)

    def replan(self, key: str) -> Replanned:
        """Ask again about a settled message, and show the difference; nothing is changed. Raises `UnknownName`."""
        return self._call(self._behind.replan, key)

    def inspect(
        self, owner: str, *, filter: Filter | str = EVERYTHING, limit: int | None = None, offset: int = 0
    ) -> ContainerPage:
        """What a character's container, or the `world`'s, holds; `filter` may be text: `"gameDay<=3"`.

        Raises `UnknownName`, `InvalidFilter`, `InputError`.
        """
        return self._call(self._behind.inspect, owner, filter=filter, limit=limit, offset=offset)

    def search(self, owner: str, query: str, *, filter: Filter | str = EVERYTHING, limit: int = 10) -> tuple[Hit, ...]:
        """What a search of a character's container, or the `world`'s, finds; no plugin or guard is asked.

        Raises `UnknownName`, `InvalidFilter`, `InputError`.
        """
        return self._call(self._behind.search, owner, query, filter=filter, limit=limit)

    def overview(self) -> Overview:
        """The session at a glance."""
        return self._call(self._behind.overview)

    def before(self) -> Before:
        """What was there before the story, and the files it came from."""
        return self._call(self._behind.before)

    def journal(self) -> tuple[Entry, ...]:
        """Everything the story was told, in order."""
        return self._call(self._behind.journal)

    def find_memories(self, start: str) -> dict[str, str]:
        """Memories whose id begins like this: id → owner. The one with exactly this id, where there is one."""
        return self._call(self._behind.find_memories, start)

    def retract(self, target: str) -> Outcome:
        """Take back a message or change (by key) or one memory (by id), noting this role."""
        return Outcome(self._call, self._call(self._behind.retract, target))

    def export(self) -> Iterator[dict[str, Any]]:
        """The whole session as JSON-ready lines; `Earwitness.import_session` takes them back."""
        return self._call.each(self._behind.export())
