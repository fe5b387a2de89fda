"""What the sharing rule, the guard, the reads and the extensions of one instance share: rule book and graph.

It is made once for each instance, from `[relationships]`, and opened by whichever of them is opened first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Any
from weakref import WeakValueDictionary

import anyio
from pydantic import JsonValue

from earwitness import Event, Settings, State
from earwitness.loading.resources import Resources
from earwitness.loading.strategies import Strategies

from .compiled.adjacency import Adjacency
from .compiled.compiled_rules import CompiledRules
from .graph.away import BackOff
from .graph.past import GRAPHS, MOST_CHANGES, GraphsAsked, PastGraphs
from .graph.protocol import GraphStore
from .graph.records import Fact
from .graph.view import GraphView
from .rules.book import book_of
from .rules.file import read_rules
from .rules.records import RuleBook
from .settings import RelationshipsSettings

PACKAGE = "relationships"
"""The name under which this package notes facts, and that of its settings table."""
STORIES = 64
"""The most stories of which the picture is kept."""


@dataclass(frozen=True, slots=True)
class StoryPicture:
    """The rule book and graph as one story has them at one point."""

    book: RuleBook
    """The rules."""
    graph: GraphView
    """The graph of all stories with the story's own facts on top."""
    facts: tuple[Fact, ...]
    """The story's own facts."""
    version: str
    """What a decision rests on: the versions of rules and graph, and the number of the story's own facts."""
    past: GraphView | None = None
    """The graph of all stories as it was, if that is what the picture shows."""


class RelationshipsModel:
    """The rule book and the graph of one instance."""

    def __init__(self, settings: RelationshipsSettings, folder: Path, graph: GraphStore) -> None:
        """Raises `RulesError` for a rule file that cannot be used."""
        self.settings = settings
        """The table `[relationships]`."""
        self.file: RuleBook = read_rules(folder / settings.rules) if settings.rules else RuleBook().with_version()
        """What the rule file says."""
        self.graph: GraphStore = graph
        """The graph of all stories."""
        self._view = GraphView()
        self._pictures: dict[str, tuple[tuple[JsonValue, ...], StoryPicture]] = {}
        self._compiled = CompiledRules()
        self._past: tuple[int, PastGraphs] | None = None
        self._turns: WeakValueDictionary[str | None, anyio.Lock] = WeakValueDictionary()
        self._open = False
        self._lock, self._refreshing = anyio.Lock(), anyio.Lock()
        self._away = BackOff()
        self._poll = float(getattr(graph, "poll", 0.0))
        self._seen = float("-inf")
        self._writes = 0

    @classmethod
    def shared(cls, settings: Settings, resources: Resources, strategies: Strategies, path: str) -> RelationshipsModel:
        """The model of an instance. Raises `SettingsError` and `RulesError`."""

        def make() -> RelationshipsModel:
            table = settings.table(RelationshipsSettings)
            context: Mapping[str, Any] = {"path": path, "settings": settings, "resources": resources}
            with settings.at("relationships", "graph"):
                graph = strategies.make("graph", table.graph, **context)
            if table.rules is not None and not (settings.folder / table.rules).exists():
                why = f"relationships.rules: {str(settings.folder / table.rules)!r}: there is no such file."
                raise settings.error(("relationships", "rules"), why)
            return cls(table, settings.folder, graph)

        return resources.get(RelationshipsModel, PACKAGE, make)

    def turn(self, session: str | None) -> anyio.Lock:
        """What tasks hold while they look up and change the graph of a story, or of all stories (`None`)."""
        return self._turns.setdefault(session, anyio.Lock())

    async def open(self) -> None:
        """Open the graph, unless it is open. Raises `StorageError`."""
        async with self._lock:
            if not self._open:
                await self.graph.open()
                self._open = True

    async def close(self) -> None:
        """Close the graph, unless it is closed."""
        async with self._lock:
            if self._open:
                self._open = False
                self._view, self._pictures, self._seen, self._past = GraphView(), {}, float("-inf"), None
                await self.graph.close()

    async def view(self) -> GraphView:
        """The graph of all stories as it is now. Raises `StorageError`, after a failure for a while without asking.

        What other processes write counts after the seconds that the graph store gives as `poll`.
        """
        if monotonic() - self._seen >= self._poll:
            async with self._refreshing:
                if monotonic() - self._seen >= self._poll:
                    await self._refresh()
        return self._view

    async def write(self, facts: Sequence[Fact]) -> int:
        """Write facts into the graph of all stories, and return its version. Raises as `GraphStore.upsert_facts`."""
        try:
            return await self.graph.upsert_facts(facts)
        finally:  # also of a write that failed: it may have been carried out
            self._seen = float("-inf")
            self._writes += 1

    async def _refresh(self) -> None:
        self._away.check()
        begun, writes = monotonic(), self._writes
        try:
            edited = await self._view.refresh(self.graph)
        except BaseException as error:
            self._away.failed(error)
            raise
        self._away.answered()
        if writes == self._writes:  # otherwise the graph may have been read before the write
            self._seen = begun
        if edited is None or edited:
            self._compiled.edited(edited)

    async def picture(self, session: str, state: State) -> StoryPicture:
        """The rules and the graph of a story. Raises `StorageError`."""
        return await self.picture_with(session, state.facts_of(PACKAGE))

    async def picture_at(self, event: Event, entry: int, *, anew: bool, surely: bool = False) -> StoryPicture:
        """The rules and the graph that an entry is judged by. Where it is judged `anew`, they are those it was judged
        by before, or those last known by then, but for `surely`; otherwise it is noted which they are.

        Raises `StorageError`.
        """
        asked = GraphsAsked.of(event.data.get(GRAPHS))
        if not anew:
            picture = await self.picture(event.session, event.state)
            if (noted := asked.noting(entry, picture.graph.version, each=surely)) != asked:
                event.data[GRAPHS] = noted.note()
            return picture
        view = await self._view_at(asked.surely_at(entry) if surely else asked.at(entry))
        if view is self._view:
            return await self.picture(event.session, event.state)
        return replace(self._picture(view, event.state.facts_of(PACKAGE), None), past=view)

    async def _view_at(self, version: int | None) -> GraphView:
        now = await self.view()
        if version is None or version >= now.version:
            return now
        if self._past is None or self._past[0] != now.version:
            changes = await self.graph.changes(limit=MOST_CHANGES + 1)
            self._past = (now.version, PastGraphs(now, changes if len(changes) <= MOST_CHANGES else ()))
        return self._past[1].at(version, now)

    async def picture_with(self, session: str, noted: tuple[JsonValue, ...]) -> StoryPicture:
        """The rules and the graph with the facts that a story has noted. Raises `StorageError`."""
        view = await self.view()
        known = self._pictures.pop(session, None)
        if known is None or known[0] != noted or not known[1].graph.is_current:
            known = (noted, self._picture(view, noted, known))
        self._pictures[session] = known
        while len(self._pictures) > STORIES:
            self._pictures.pop(next(iter(self._pictures)))
        return known[1]

    def adjacency(self, picture: StoryPicture) -> Adjacency:
        """The compiled rules of a story's picture."""
        if picture.past is not None:
            return CompiledRules().of(picture.book, picture.past, picture.graph)
        return self._compiled.of(picture.book, self._view, picture.graph)

    def _picture(
        self, view: GraphView, noted: tuple[JsonValue, ...], known: tuple[tuple[JsonValue, ...], StoryPicture] | None
    ) -> StoryPicture:
        """The picture with these facts; where only some were added, from the picture before, at their price alone."""
        before = () if known is None or not known[1].graph.is_current else known[1].facts
        is_more = known is not None and before and known[0] == noted[: len(before)]
        added = tuple(Fact.model_validate(each) for each in (noted[len(before) :] if is_more else noted))
        graph = known[1].graph.extended(added) if known and is_more else view.with_facts(added)
        facts = (*before, *added) if is_more else added
        book = book_of(self.file, graph)
        version = f"rules {book.version}, graph {view.version}, {len(facts)} facts of the story"
        return StoryPicture(book, graph, facts, version)
