"""The rule book of a story: what the rule file says, with what the graph says of pantheons on top."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, TypeVar

from pydantic import ValidationError

from ..graph.view import GraphView
from . import graph_form as form
from .records import Lasting, Member, Pantheon, RelationshipRule, RuleBook

Lasts = TypeVar("Lasts", bound=Lasting)


def book_of(file: RuleBook, graph: GraphView) -> RuleBook:
    """The rule book. If the graph says nothing of pantheons, it is the file's."""
    slugs = form.slugs_in(graph)
    if not slugs:
        return file
    known = {each.slug: each for each in file.pantheons}
    every = dict.fromkeys([*known, *slugs])
    found = [known[slug] if slug not in slugs else _pantheon(known.get(slug), graph, slug) for slug in every]
    book = file.model_copy(update={"pantheons": tuple(each for each in found if each is not None)})
    return book.with_version()


def _pantheon(file: Pantheon | None, graph: GraphView, slug: str) -> Pantheon | None:
    """One pantheon; `None` for one that was removed."""
    said = form.attributes_of(graph, slug)
    if said.get(form.REMOVED) or (file is None and form.ANEW not in said):
        return None
    base = Pantheon(slug=slug) if file is None or said.get(form.ANEW) else file
    fields = {name: said[name] for name in (*form.FIELDS, "rules") if name in said}
    return _merged(base, graph, _with(base, fields))


def _merged(base: Pantheon, graph: GraphView, pantheon: Pantheon) -> Pantheon:
    memberships = form.memberships_in(graph, base.slug)
    related = list(form.relationships_in(graph, base.slug))
    changed = max([*form.changes_in(graph, base.slug), pantheon.changed_at or ""]) or None
    return pantheon.model_copy(
        update={
            "members": _over(base.members, memberships, _who),
            "relationships": _over(base.relationships, _grouped(related), _ends),
            "changed_at": changed,
        }
    )


def _with(base: Pantheon, fields: dict[str, Any]) -> Pantheon:
    try:
        return Pantheon.model_validate({**dict(base), **fields})
    except ValidationError:  # written by another program, and no pantheon
        return base


def _over(below: Iterable[Lasts], above: dict[Any, tuple[Lasts, ...]], key: Any) -> tuple[Lasts, ...]:
    """What is below, with those of a key replaced by those above; others above come last."""
    kept = [each for each in below if key(each) not in above]
    return (*kept, *(each for several in above.values() for each in several))


def _grouped(related: Iterable[RelationshipRule]) -> dict[Hashable, tuple[RelationshipRule, ...]]:
    found: dict[Hashable, tuple[RelationshipRule, ...]] = {}
    for each in related:
        found[_ends(each)] = (*found.get(_ends(each), ()), each)
    return found


def _who(member: Member) -> Hashable:
    return member.personality_id


def _ends(each: RelationshipRule) -> Hashable:
    return each.source, each.target, each.type
