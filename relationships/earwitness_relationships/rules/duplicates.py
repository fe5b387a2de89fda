"""What a rule book may hold only once: a slug, a membership, a relationship, each at one time."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from earwitness.loading.problems import Loc

from .graph_form import usable
from .records import Lasting, RelationshipRule

RELATED = RelationshipRule.model_fields["type"].default
"""The type of a relationship that says none."""
Drafted: TypeAlias = Mapping[str, Any]
"""A part of a rule book as plain data."""


def duplicates(book: Drafted) -> Iterator[tuple[Loc, str]]:
    """The place of each duplicate in a rule book, and what is wrong with it. What cannot be compared is left out."""
    slugs: set[str] = set()
    for number, pantheon in enumerate(_tables(book, "pantheons")):
        loc, slug = ("pantheons", number), str(pantheon.get("slug", ""))
        if slug and slug.casefold() in slugs:
            yield (*loc, "slug"), f"pantheon {slug!r} is there twice. Choose another slug."
        slugs.add(slug.casefold())
        yield from (((*loc, *rest), message) for rest, message in _within(pantheon, slug))


def _within(pantheon: Drafted, slug: str) -> Iterator[tuple[Loc, str]]:
    members = _tables(pantheon, "members")
    for number in _overlapping([(str(each.get("personality_id")), _days(each)) for each in members]):
        who = members[number]["personality_id"]
        yield ("members", number), f"{who!r} is a member of {slug!r} twice. A membership is unique."
    relations = [
        (str(each.get("source")), str(each.get("target")), str(each.get("type", RELATED)))
        for each in _tables(pantheon, "relationships")
    ]
    days = [_days(each) for each in _tables(pantheon, "relationships")]
    for number in _overlapping([*zip(relations, days, strict=True)]):
        source, target, type = relations[number]
        relation = f"{source} → {target} ({type})"
        yield ("relationships", number), f"the relationship {relation} is in {slug!r} twice. Keep one."


def _tables(of: Drafted, name: str) -> list[Drafted]:
    """The parts of this name; an empty one for what is not a table."""
    found = of.get(name)
    return [each if isinstance(each, dict) else {} for each in found] if isinstance(found, list) else []


def _days(each: Drafted) -> Lasting | None:
    """The days on which it holds; `None` if they are none."""
    given = {name: each[name] for name in ("since", "until") if name in each}
    return next(usable(Lasting, **given), None) if each else None


def _overlapping(named: Sequence[tuple[Hashable, Lasting | None]]) -> Iterable[int]:
    """The numbers of those that hold on a day on which an earlier one of the same name holds."""
    before: dict[Hashable, list[Lasting]] = {}
    for number, (name, record) in enumerate(named):
        if record is not None and any(record.overlaps(other) for other in before.get(name, ())):
            yield number
        before.setdefault(name, []).extend([] if record is None else [record])
