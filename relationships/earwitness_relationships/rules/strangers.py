"""Names in a rule file that nobody has: misspelt members, slugs and types of relations."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from earwitness.errors import did_you_mean
from earwitness.formats import snake
from earwitness.loading.problems import Loc, Problem

from .records import MOVED, RuleBook, Rules

UPDATES = (MOVED, "item_acquired", "item_given", "item_lost", "location_changed", "status_changed")
"""Types of updates that Earwitness and its documentation report. A host may report any other."""

MOST_GUESSED = 20
"""A file that names more people who are not in a cast is about others: none of them is taken for a misspelling."""

NamedPlace = tuple[Loc, str]
"""A place in the rule book, and the name found there."""


def strangers(book: RuleBook, cast: Collection[str] | None = None) -> Iterator[Problem]:
    """Names that are not in the cast (personality ids); without a cast, those that the file does not introduce."""
    known = {name for _, name in _people(book)} if cast is None else set(cast)
    where = "in this file" if cast is None else "in the cast"
    slugs = {each.slug for each in book.pantheons}
    yield from _unknown(_people(book), known, where)
    yield from _unknown(_named(book), known | slugs, where)
    yield from _types(book)
    yield from _updates(book)


def misspelt(book: RuleBook, cast: Collection[str]) -> Iterator[Problem]:
    """Names that are probably misspelt, of a file that may be about more people than those in a cast: members that
    nearly have the name of somebody in the cast whom the file does not introduce, and whom only an option names."""
    people = {name for _, name in _people(book)}
    slugs = {each.slug for each in book.pantheons}
    missing = sorted(set(cast) - people)
    others = [(loc, name) for loc, name in _people(book) if name not in cast]
    for loc, name in others if len(others) <= MOST_GUESSED else ():
        if guess := did_you_mean(name, missing):
            yield Problem(loc, f"nobody in the cast is called {name!r}.{guess}")
    yield from _unknown(_named(book), {*people, *slugs, *cast}, "in the cast or in this file")


def _unknown(mentions: Iterable[NamedPlace], known: Collection[str], where: str) -> Iterator[Problem]:
    for loc, name in mentions:
        if name not in known:
            yield Problem(loc, f"nobody {where} is called {name!r}.{did_you_mean(name, sorted(known))}")


def _people(book: RuleBook) -> Iterator[NamedPlace]:
    """Members, and those who have a relationship."""
    for number, pantheon in enumerate(book.pantheons):
        for at, member in enumerate(pantheon.members):
            yield ("pantheons", number, "members", at), member.personality_id
        for at, each in enumerate(pantheon.relationships):
            loc: Loc = ("pantheons", number, "relationships", at)
            yield from (((*loc, "source"), each.source), ((*loc, "target"), each.target))


def _named(book: RuleBook) -> Iterator[NamedPlace]:
    """Whom the options name."""
    for loc, rules in levels(book):
        for option in ("share_with", "only_about", "never_about"):
            yield from (((*loc, option, at), name) for at, name in enumerate(getattr(rules, option) or ()))


def levels(book: RuleBook) -> Iterator[tuple[Loc, Rules]]:
    """All rules of a book with their places: pantheons, members, relationships."""
    for number, pantheon in enumerate(book.pantheons):
        yield ("pantheons", number, "rules"), pantheon.rules
        for at, member in enumerate(pantheon.members):
            yield ("pantheons", number, "members", at, "rules"), member.rules
        for at, each in enumerate(pantheon.relationships):
            yield ("pantheons", number, "relationships", at, "rules"), each.rules


def _updates(book: RuleBook) -> Iterator[Problem]:
    """Types of updates that nobody reports, where one that Earwitness reports is spelt nearly so."""
    for name in book.feeds:
        if snake(name) not in UPDATES and (guess := did_you_mean(snake(name), UPDATES)):
            yield Problem(("feeds", name), f"no update of Earwitness is of the type {name!r}.{guess}")


def _types(book: RuleBook) -> Iterator[Problem]:
    """Types of relations that no relationship of the file has, where one is spelt nearly so."""
    used = {each.type for pantheon in book.pantheons for each in pantheon.relationships}
    for loc, rules in levels(book):
        for at, name in enumerate(rules.relation_types or ()):
            if name not in used and (guess := did_you_mean(name, used)):
                yield Problem((*loc, "relation_types", at), f"no relationship in this file is a {name!r}.{guess}")
