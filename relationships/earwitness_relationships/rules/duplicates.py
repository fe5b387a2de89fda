"""What a rule book may hold only once: a slug, a membership, a relationship, each at one time."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence

from earwitness.loading.problems import Loc

from .records import Lasting, Pantheon, RuleBook


def duplicates(book: RuleBook) -> Iterator[tuple[Loc, str]]:
    """The place of each duplicate in the rule book, and what is wrong with it."""
    slugs: set[str] = set()
    for number, pantheon in enumerate(book.pantheons):
        loc = ("pantheons", number)
        if pantheon.slug.casefold() in slugs:
            yield (*loc, "slug"), f"pantheon {pantheon.slug!r} is there twice. Choose another slug."
        slugs.add(pantheon.slug.casefold())
        yield from (((*loc, *rest), message) for rest, message in _within(pantheon))


def _within(pantheon: Pantheon) -> Iterator[tuple[Loc, str]]:
    members = [(each.personality_id, each) for each in pantheon.members]
    for number in _overlapping(members):
        who = pantheon.members[number].personality_id
        yield ("members", number), f"{who!r} is a member of {pantheon.slug!r} twice. A membership is unique."
    relations = [((each.source, each.target, each.type), each) for each in pantheon.relationships]
    for number in _overlapping(relations):
        each = pantheon.relationships[number]
        relation = f"{each.source} → {each.target} ({each.type})"
        yield ("relationships", number), f"the relationship {relation} is in {pantheon.slug!r} twice. Keep one."


def _overlapping(named: Sequence[tuple[Hashable, Lasting]]) -> Iterable[int]:
    """The numbers of those that hold on a day on which an earlier one of the same name holds."""
    before: dict[Hashable, list[Lasting]] = {}
    for number, (name, record) in enumerate(named):
        if any(record.overlaps(other) for other in before.get(name, ())):
            yield number
        before.setdefault(name, []).append(record)
