"""Compiled rules, kept from message to message: once for each rule book, and anew only where the graph was edited."""

from __future__ import annotations

from collections.abc import Collection

from ..graph.view import GraphView
from ..rules.records import RuleBook
from .adjacency import Adjacency

BOOKS = 16
"""The most rule books of which the compiled rules are kept."""


class CompiledRules:
    """The compiled rules of one instance."""

    def __init__(self) -> None:
        self._of_book: dict[str, tuple[RuleBook, Adjacency]] = {}
        self._of_story: tuple[GraphView, Adjacency] | None = None

    def edited(self, sources: Collection[str] | None) -> None:
        """Relations that start at these nodes have changed; `None` = the whole graph is another one."""
        if sources is None:
            self._of_book.clear()
        for _, adjacency in self._of_book.values():
            adjacency.invalidate(sources or ())
        if sources is None or sources:
            self._of_story = None

    def of(self, book: RuleBook, view: GraphView, story: GraphView) -> Adjacency:
        """A rule book on the graph of one story; `view` is that of all stories."""
        shared = self._shared(book, view)
        if not story.own_sources:
            return shared
        if self._of_story is None or self._of_story[0] is not story:
            self._of_story = (story, shared.of_story(story, story.own_sources))
        return self._of_story[1]

    def _shared(self, book: RuleBook, view: GraphView) -> Adjacency:
        known = self._of_book.pop(book.version, None)
        if known is None or known[1].relations is not view or (known[0] is not book and known[0] != book):
            known = (book, Adjacency(book, view))
        self._of_book[book.version] = known
        while len(self._of_book) > BOOKS:
            self._of_book.pop(next(iter(self._of_book)))
        return known[1]
