"""`ew.relationships` and `story.relationships`: relations and pantheons, changed at run time.

What is changed for all stories is in the graph, with its history. What is changed in a story is an entry of its
journal, so it is replayed, forked and exported with the story, and `retract` takes it back.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, repeat
from typing import Any, Generic

from earwitness import Earwitness, Outcome, Session
from earwitness.errors import InputError

from ..errors import RulesError
from ..graph.records import Direction, Fact, Relation
from ..rules import graph_form as form
from ..rules.given import GivenRules, checked_record, given_rules
from ..rules.records import Pantheon, RelationshipRule, RuleBook
from .changes import known_pantheon, now_text
from .desk import Desk, EveryStory, OneStory, Receipt, RulesNow, in_turn
from .pantheons import Pantheons
from .permissions import Actor, actor, may_change, may_end, may_relate, may_relate_as, may_relate_in, may_say, may_tell


class RelationFacade(Generic[Receipt]):
    """Relations and pantheons, of all stories or of one. Every id is a personality id."""

    def __init__(self, desk: Desk[Receipt], who: Actor | None = None) -> None:
        self._desk = desk
        self._who = who or Actor()

    @property
    def pantheons(self) -> Pantheons[Receipt]:
        """Pantheons and their members."""
        return Pantheons(self._desk, self._who)

    def acting(self, *, role: str = "owner", user: str | None = None) -> RelationFacade[Receipt]:
        """The same on behalf of somebody, whose permissions are checked: `acting(role="player", user="u7")`.

        Raises `UnknownName` for an unknown role, and `InputError` for a player without a user.
        """
        return RelationFacade(self._desk, actor(role, user))

    @in_turn
    async def relate(
        self,
        source: str,
        target: str,
        type: str,
        *,
        weight: float = 1.0,
        since: float | None = None,
        until: float | None = None,
        mutual: bool = False,
        rules: GivenRules = None,
        pantheon: str | None = None,
        attributes: Mapping[str, Any] | None = None,
        key: str | None = None,
    ) -> Receipt:
        """Say what one is to another, from `since` (in a story by default today) to `until`, both included.

        `source` and `target` may be anybody and anything, also who joins later or a place; no id is looked up. `weight`
        is any number from 0 up. A relation with the same beginning is replaced; any other keeps its past. `mutual` says
        it both ways. `rules`, as in a rule file, belong to a `pantheon`, by default the only one that both are members
        of; attributes are kept then, and none moves from one pantheon to another. Returns the new version of the graph,
        or in a story the outcome. Raises `RulesError`, `InputError`, `NotPermitted`.
        """
        standing = await self._desk.standing()
        days: dict[str, Any] = {"since": standing.today if since is None else since, "until": until}
        pairs = [(source, target), (target, source)] if mutual else [(source, target)]
        said = [checked_record(RelationshipRule, _said(*each, type, weight, days)) for each in pairs]
        _refuse_members(_relation(each, None) for each in said)
        if rules is None:
            may_relate(self._who)
            facts = [Fact(relation=_relation(each, attributes)) for each in said]
            return await self._write(facts, standing, key)
        group = _common(standing.book, pantheon, source, target)
        may_relate_in(self._who, group, (source, target), standing.cast)
        may_relate_as(self._who, type, group.slug, standing.book)
        given = given_rules(rules)
        may_tell(self._who, [given], group.slug, {each.personality_id for each in group.members})
        own = [each.model_copy(update={"rules": given}) for each in said]
        kept = [{**_attributes(standing, each), **(attributes or {})} for each in own]
        every = [
            form.relationship_facts(group.slug, *each) for each in zip(own, repeat(now_text()), kept, strict=False)
        ]
        return await self._write(list(chain.from_iterable(every)), standing, key)

    async def load(self, relations: Iterable[Relation], *, batch: int = 10_000) -> int:
        """Say very many relations, so many at a time: `relations` may be a generator. Returns how many there were.

        Each batch is written whole or not at all; saying it all again changes nothing. Raises as `relate`.
        """
        may_relate(self._who)
        given, number, standing = iter(relations), 0, await self._desk.standing()
        while facts := [Fact(relation=each) for each in islice(given, batch)]:
            _refuse_members(fact.relation for fact in facts if fact.relation)
            await self._write(facts, standing, None)
            number += len(facts)
        return number

    @in_turn
    async def end(
        self, source: str, target: str, type: str, *, until: float | None = None, key: str | None = None
    ) -> Receipt:
        """End a relation: `until` is its last day, in a story by default today. Its past is kept.

        Raises `InputError` if no such relation holds on that day, and `NotPermitted`.
        """
        standing = await self._desk.standing()
        last = standing.today if until is None else until
        if last is None:
            raise InputError("end() needs the last day of the relation: give until=….")
        facts = list(_ending(standing, source, target, type, last))
        _refuse_members(each.relation for each in facts if each.op == "end" and each.relation)
        if not facts:
            raise InputError(_unrelated(standing, source, target, type, last))
        may_end(self._who, standing.graph.periods((source, target, type)), last, standing.cast)
        for pantheon in _with_rules(standing, source, target, type, last):
            may_change(self._who, pantheon)
        return await self._desk.write(facts, key)

    async def relations(
        self,
        node: str,
        *,
        types: Collection[str] | None = None,
        min_weight: float = 0.0,
        direction: Direction = "both",
        day: float | None = None,
    ) -> tuple[Relation, ...]:
        """The relations of somebody or something on a game day (in a story by default today)."""
        standing = await self._desk.standing()
        day = standing.today if day is None else day
        found = standing.graph.relations_of(node, types, min_weight, day, direction)
        return tuple(each for each in found if _is_said(each))

    async def book(self) -> RuleBook:
        """The rules in force: those of the rule file, with what was changed at run time on top."""
        return (await self._desk.standing()).book

    async def _write(self, facts: list[Fact], standing: RulesNow, key: str | None) -> Receipt:
        for each in facts:
            if each.relation is not None and not form.is_inner(each.relation):
                may_say(self._who, each.relation, standing.graph, standing.book)
        return await self._desk.write(facts, key)


class Relationships(RelationFacade[int]):
    """`ew.relationships`: relations and pantheons of all stories."""

    def __init__(self, ew: Earwitness) -> None:
        super().__init__(EveryStory(ew))


class StoryRelationships(RelationFacade[Outcome]):
    """`story.relationships`: relations and pantheons as this story has them, changed in its journal."""

    def __init__(self, story: Session, ew: Earwitness) -> None:
        super().__init__(OneStory(story, ew))


def _said(source: str, target: str, type: str, weight: float, days: Mapping[str, Any]) -> dict[str, Any]:
    return {"source": source, "target": target, "type": type, "weight": weight, **days}


def _relation(each: RelationshipRule, attributes: Mapping[str, Any] | None) -> Relation:
    return Relation(**each.model_dump(exclude={"rules"}), attributes=dict(attributes or {}))


def _attributes(standing: RulesNow, said: RelationshipRule) -> dict[str, Any]:
    """What a relation with the same beginning has; its rules are given anew."""
    periods = standing.graph.periods((said.source, said.target, said.type))
    return next((dict(each.attributes) for each in periods if each.since == said.since), {})


def _is_said(relation: Relation) -> bool:
    """Whether it holds: neither inner, nor the note that somebody is a member of a pantheon no more."""
    is_over = form.is_membership(relation) and relation.attributes.get(form.REMOVED)
    return not form.is_inner(relation) and not is_over


def _refuse_members(relations: Iterable[Relation]) -> None:
    """Raise `InputError` for what only `pantheons` may change: it checks who may, and that a membership is unique."""
    for each in relations:
        if form.is_inner(each) or form.is_membership(each):
            raise InputError(
                f"{each.source!r} {each.type} {each.target!r} is how a pantheon keeps its members. Use "
                "relationships.pantheons: add_member, change_member, end_member or remove_member."
            )


def _common(book: RuleBook, named: str | None, source: str, target: str) -> Pantheon:
    """The pantheon that rules belong to. Raises `RulesError`."""
    if named is not None:
        return known_pantheon(book, named)
    both = {source, target}
    common = [each for each in book.pantheons if both <= {member.personality_id for member in each.members}]
    if len(common) != 1:
        raise RulesError(f"{source!r} and {target!r} are {_undecided(book, [each.slug for each in common])}")
    return common[0]


def _undecided(book: RuleBook, common: Sequence[str]) -> str:
    """That it is not clear which pantheon rules belong to, and what to do."""
    if common:
        return f"both members of {', '.join(common)}: say which the rules belong to, with pantheon=…."
    if not book.pantheons:
        return "in no pantheon, to which their rules could belong: create one with relationships.pantheons.create."
    known = ", ".join(each.slug for each in book.pantheons)
    return f"members of no pantheon together: say which the rules belong to, with pantheon=…. Known: {known}."


def _ending(standing: RulesNow, source: str, target: str, type: str, last: float) -> Iterator[Fact]:
    """A relation of the graph ends; one of the rule file is put into the graph with its end."""
    periods = standing.graph.periods((source, target, type))
    if any(each.holds_on(last) for each in periods):
        yield Fact(op="end", relation=Relation(source=source, target=target, type=type, until=last))
        return
    for pantheon in standing.book.pantheons:
        for each in pantheon.relationships:
            if (each.source, each.target, each.type) == (source, target, type) and each.holds_on(last):
                ended = each.model_copy(update={"until": last})
                yield from form.relationship_facts(pantheon.slug, ended, now_text())


def _with_rules(standing: RulesNow, source: str, target: str, type: str, last: float) -> Iterator[Pantheon]:
    """The pantheons whose rules end with a relation."""
    for pantheon in standing.book.pantheons:
        ends = [(each.source, each.target, each.type) for each in pantheon.relationships if each.holds_on(last)]
        if (source, target, type) in ends:
            yield pantheon


def _unrelated(standing: RulesNow, source: str, target: str, type: str, last: float) -> str:
    held = standing.graph.relations_of(source, None, 0.0, last)
    known = [f"{each.type} {each.target}" for each in held if _is_said(each)]
    return f"{source!r} is not related to {target!r} as {type!r} on day {last:g}. Known: {', '.join(known) or 'none'}."
