"""Written by scripts/generate_sync.py from the asynchronous `Backstage`. To change it, change that: `make sync`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..backstage.backstage import Backstage as AsyncBackstage
from ..backstage.costs import Costs
from ..backstage.knowers import WhoKnows
from ..backstage.preview import Preview
from ..backstage.records import Before, ContainerPage, Explanation, Overview, Replanned
from ..filters import EVERYTHING, Filter
from ..records.channel import Channel, Context
from ..records.journal import Entry
from ..records.memory import Hit, Memory
from ..records.usage import Spending, Usage
from .loop import Mirror
from .outcome import Outcome


class Backstage(Mirror[AsyncBackstage]):
    """The author's view of one session, or a player's view of their persona. Created by `Session.backstage`.

    All calls raise `NotPermitted` if the role may not see or do this.
    """

    @property
    def persona(self) -> str | None:
        """The player's persona (character id); `None` for other roles."""
        return self._behind.persona

    @property
    def role(self) -> str:
        """The role, which is recorded with retractions."""
        return self._behind.role

    def who_knows(self, question: str) -> WhoKnows:
        """For every character: since when and how they know it, with the memory that proves it; or nothing found."""
        return self._call(self._behind.who_knows, question)

    def explain(self, memory_id: str) -> Explanation:
        """How a memory got into its container, hop by hop, and what of it has been told on without arriving.

        For a memory in a shared container that another session wrote, it says only what the metadata keeps. A player
        sees from whom and since when their own persona has it. Raises `UnknownName`.
        """
        return self._call(self._behind.explain, memory_id)

    def preview(
        self,
        speaker: str,
        content: str,
        *,
        speak_as: str | None = None,
        present: Iterable[str] | None = None,
        audience: Iterable[str] | None = None,
        place: str | None = None,
        context: Context | None = None,
        channel: Channel | None = None,
        key: str | None = None,
        days: float = 0,
    ) -> Preview:
        """Show who would learn this if it were said here and now, who would not, and why, as far as sharing rules say.

        Asks the same strategies as END, and writes nothing. `key` is the key that the message would have, by default
        that of the next message without one; the coins of rules with `chance` depend on it. `days` plays forward: also
        who would learn it in turn within so many game days. A player may preview only their own persona's words, and
        sees nothing of others: only what the persona would remember. Raises as `Session.say`.
        """
        return self._call(
            self._behind.preview,
            speaker,
            content,
            speak_as=speak_as,
            present=present,
            audience=audience,
            place=place,
            context=context,
            channel=channel,
            key=key,
            days=days,
        )

    def replan(self, key: str) -> Replanned:
        """Decide again about a settled message and show the difference. Changes nothing. Raises `UnknownName`."""
        return self._call(self._behind.replan, key)

    def inspect(
        self, owner: str, *, filter: Filter | str = EVERYTHING, limit: int | None = None, offset: int = 0
    ) -> ContainerPage:
        """The contents of a character's container, or of the `world`'s. `filter` may be text, such as `"gameDay<=3"`.

        If nothing matches, `warnings` says which field or text of the filter no memory has. Raises `UnknownName`,
        `InvalidFilter`, `InputError`.
        """
        return self._call(self._behind.inspect, owner, filter=filter, limit=limit, offset=offset)

    def search(self, owner: str, query: str, *, filter: Filter | str = EVERYTHING, limit: int = 10) -> tuple[Hit, ...]:
        """Search a character's container, or the `world`'s, without asking plugins or guards.

        Raises `UnknownName`, `InvalidFilter`, `InputError`.
        """
        return self._call(self._behind.search, owner, query, filter=filter, limit=limit)

    def overview(self) -> Overview:
        """An overview of the session."""
        return self._call(self._behind.overview)

    def costs(self) -> Costs:
        """What has been asked of models in this session: calls, tokens, time and cost, by who asked and by model.

        A branch has the costs of what it took over, too. Entries that are decided anew, as after an edit, cost again;
        what `preview` and `replan` ask is in no plan, and so not in here. What recalls have asked is, and what the host
        has, by `note_usage`.
        """
        return self._call(self._behind.costs)

    def note_usage(self, by: str, usage: Usage) -> None:
        """Count what the host has asked of a model for this session, such as the one that plays a character.

        `by` says who asked, as in `host:chat`; `costs` shows it. Durable on return. Raises `InputError`.
        """
        self._call(self._behind.note_usage, by, usage)

    def noted_usage(self, by: str) -> Spending:
        """What `note_usage` has counted for one asker in this session, by all programs. It waits for nothing, so that a
        host may ask before each call whether it may spend more."""
        return self._call(self._behind.noted_usage, by)

    def before(self) -> Before:
        """The knowledge from before the story, and the files it came from."""
        return self._call(self._behind.before)

    def journal(self) -> tuple[Entry, ...]:
        """All entries of the journal, in order."""
        return self._call(self._behind.journal)

    def find_memories(self, start: str) -> dict[str, str]:
        """Find memories whose id begins with `start`: id → owner. An exact match is returned alone.

        Containers shared with the cast are searched if the session's own memories have no such id.
        """
        return self._call(self._behind.find_memories, start)

    def grounds(self, *names: str) -> dict[str, str | None]:
        """What may rest on these memory ids and keys: each with the id of the memory that stands for it now, or `None`
        if it was retracted. A key stands for its message as it now reads. What the story does not have is left out."""
        return self._call(self._behind.grounds, *names)

    def unknown_to(self, character: str, *names: str) -> tuple[str, ...]:
        """Those of these memory ids and keys that a character does not know: they have no memory of them, and read none
        in a hub. Raises `UnknownName`."""
        return self._call(self._behind.unknown_to, character, *names)

    def disguised_in(self, *memories: str) -> dict[str, frozenset[str]]:
        """Memory id → ids of those whom its owner knows in it only under a mask. Memories without any are left out."""
        return self._call(self._behind.disguised_in, *memories)

    def hand_written(self) -> tuple[Memory, ...]:
        """What people wrote or changed in the files of the store, which no export holds; empty for other stores."""
        return self._call(self._behind.hand_written)

    def retract(self, target: str) -> Outcome:
        """Retract a message or change (by key) or one memory (by id). The role is recorded."""
        return Outcome(self._call, self._call(self._behind.retract, target))

    def export(self) -> Iterator[dict[str, Any]]:
        """The whole session as JSON-ready lines, which `Earwitness.import_session` accepts.

        What people wrote in the files of the store is in no entry: a warning is logged then; see `hand_written`.
        """
        return self._call.each(self._behind.export())
