"""`….relationships.pantheons`: pantheons and their members, made, changed and removed at run time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Generic

from ..graph.records import Fact
from ..rules import graph_form as form
from ..rules.given import GivenRules
from ..rules.records import Member, Pantheon, Rules
from .changes import changed_member, changed_pantheon, known_pantheon, memberships, new_members, new_pantheon, now_text
from .desk import Desk, Receipt, RulesNow, in_turn
from .held import all_kept, away_facts, changed_days, kept_facts, never_fact, still_kept
from .permissions import Actor, may_change, may_create, may_include, may_name, may_play, may_reuse, may_tell

GivenMembers = Iterable[str | Mapping[str, Any] | Member]
"""`["alice", {"id": "bob", "role": "observer"}]`."""


class Pantheons(Generic[Receipt]):
    """Pantheons and their members. Writes return the graph's new version, or in a story the outcome.

    Every call may raise `RulesError` for what cannot be used, and `NotPermitted`.
    """

    def __init__(self, desk: Desk[Receipt], who: Actor) -> None:
        self._desk = desk
        self._who = who

    async def all(self) -> tuple[Pantheon, ...]:
        """All pantheons, those of the rule file first."""
        return (await self._desk.standing()).book.pantheons

    async def get(self, slug: str) -> Pantheon:
        """One pantheon. Raises `RulesError` that lists the known ones."""
        return known_pantheon((await self._desk.standing()).book, slug)

    @in_turn
    async def create(
        self,
        slug: str,
        *,
        name: str | None = None,
        type: str = "friend_group",
        description: str = "",
        rules: GivenRules = None,
        members: GivenMembers = (),
        id: str | None = None,
        key: str | None = None,
    ) -> Receipt:
        """Make a pantheon. It belongs to the user who acts."""
        may_create(self._who, type)
        standing = await self._desk.standing()
        fields = {"name": name, "type": type, "description": description, "rules": rules, "id": id}
        fields["confined_to"] = None if self._who.edits else self._who.user
        made = new_pantheon(standing.book, slug, self._who.user, **fields)
        joining = new_members(made, members)
        may_play(self._who, standing.cast)
        may_name(self._who, made.slug, standing.book, standing.cast)
        may_reuse(self._who, made.slug, standing.graph, has_hub=await self._desk.has_hub(made.slug))
        for each in joining:
            may_include(self._who, each.personality_id, standing.cast)
        _may_tell(self._who, made, joining, [made.rules, *(each.rules for each in joining)])
        at = now_text()
        facts = [
            *form.pantheon_facts(made, anew=True),
            *(fact for each in joining for fact in form.member_facts(slug, each, at, standing.moment)),
        ]
        never = [never_fact(slug, each, standing.moment) for each in joining] if made.has_hub else []
        return await self._desk.write(facts, key, never)

    @in_turn
    async def change(self, slug: str, *, key: str | None = None, **fields: Any) -> Receipt:
        """Change `name`, `type`, `description`, `rules` or `id` of a pantheon. What is not named stays as it is."""
        standing, pantheon = await self._changeable(slug)
        may_create(self._who, str(fields.get("type", pantheon.type)))
        anew = bool(form.attributes_of(standing.graph, slug).get(form.ANEW))
        changed = changed_pantheon(pantheon, **fields)
        _may_tell(self._who, pantheon, (), [changed.rules] if "rules" in fields else [])
        return await self._desk.write(list(form.pantheon_facts(changed, anew=anew)), key)

    @in_turn
    async def remove(self, slug: str, *, key: str | None = None) -> Receipt:
        """Remove a pantheon with all its memberships. What its members have learned stays theirs."""
        standing, pantheon = await self._changeable(slug)
        in_file = standing.file.pantheon(slug) is not None
        gone = [*form.removed_pantheon(slug, standing.graph, in_file=in_file)]
        return await self._desk.write([*gone, *_all_left(standing, pantheon)], key)

    @in_turn
    async def add_member(
        self,
        slug: str,
        personality: str,
        *,
        role: str = "member",
        rules: GivenRules = None,
        since: float | None = None,
        until: float | None = None,
        key: str | None = None,
    ) -> Receipt:
        """Let somebody join, in a story by default from today on. A membership is unique: who is a member already is
        refused."""
        standing, pantheon = await self._changeable(slug)
        since = standing.today if since is None else since
        given = {"personality_id": personality, "role": role, "rules": rules, "since": since, "until": until}
        (member,) = new_members(pantheon, [given])
        may_include(self._who, member.personality_id, standing.cast)
        _may_tell(self._who, pantheon, [member], [member.rules])
        joins = form.member_facts(slug, member, now_text(), standing.moment)
        never = [never_fact(slug, member, standing.moment)] if pantheon.has_hub else []
        kept = [*_kept(standing, pantheon, personality), *still_kept(standing.graph, slug, personality)]
        return await self._desk.write([*kept, *joins], key, never)

    @in_turn
    async def change_member(
        self, slug: str, personality: str, *, since: float | None = None, key: str | None = None, **fields: Any
    ) -> Receipt:
        """Change `role`, `rules` or `until` of a membership: of the one that began on the day `since`, or of the only
        one. What is not named stays as it is."""
        standing, pantheon = await self._changeable(slug)
        member = changed_member(pantheon, personality, since, fields)
        _may_tell(self._who, pantheon, (), [member.rules] if "rules" in fields else [])
        return await self._write_changed(standing, pantheon, member, key)

    @in_turn
    async def end_member(
        self, slug: str, personality: str, *, until: float | None = None, key: str | None = None
    ) -> Receipt:
        """End a membership: `until` is its last day, in a story by default today. What the member learned stays."""
        standing, pantheon = await self._changeable(slug)
        last = standing.today if until is None else until
        held = [each for each in memberships(pantheon, personality) if last is None or each.holds_on(last)]
        since = held[-1].since if held else None
        member = changed_member(pantheon, personality, since, {"until": last})
        return await self._write_changed(standing, pantheon, member, key)

    @in_turn
    async def remove_member(self, slug: str, personality: str, *, key: str | None = None) -> Receipt:
        """Remove all memberships of somebody, as if they had never been. What they have learned stays theirs."""
        standing, pantheon = await self._changeable(slug)
        held = memberships(pantheon, personality)
        in_file = _is_in_file(standing, slug, personality)
        gone = form.removed_member(slug, personality, standing.graph, in_file=in_file)
        left = kept_facts(pantheon, standing.graph, held, standing.moment)
        away = away_facts(pantheon, personality, standing.moment)
        return await self._desk.write([*gone, *left], key, [*away])

    async def _write_changed(self, standing: RulesNow, pantheon: Pantheon, member: Member, key: str | None) -> Receipt:
        """Write a changed membership: nobody loses what they have learned by now, or gains what they missed."""
        slug, moment = pantheon.slug, standing.moment
        days = changed_days(pantheon, standing.graph, _before(pantheon, member), member, moment)
        joined = moment if days else form.joined_after(standing.graph, slug, member)
        changed = form.member_facts(slug, member, now_text(), joined)
        kept = (*_kept(standing, pantheon, member.personality_id), *changed, *(days.kept if days else ()))
        return await self._desk.write(kept, key, days.if_retracted if days else ())

    async def _changeable(self, slug: str) -> tuple[RulesNow, Pantheon]:
        standing = await self._desk.standing()
        pantheon = known_pantheon(standing.book, slug)
        may_change(self._who, pantheon)
        may_play(self._who, standing.cast)
        return standing, pantheon


def _may_tell(who: Actor, pantheon: Pantheon, joining: Iterable[Member], rules: Iterable[Rules]) -> None:
    """Raise `NotPermitted` unless the actor may give these rules to a pantheon or to members of it."""
    may_tell(who, rules, pantheon.slug, {each.personality_id for each in (*pantheon.members, *joining)})


def _before(pantheon: Pantheon, member: Member) -> Member:
    """The membership as it was."""
    same = (each for each in pantheon.members if each.personality_id == member.personality_id)
    return next(each for each in same if each.since == member.since)


def _all_left(standing: RulesNow, pantheon: Pantheon) -> Iterable[Fact]:
    """What is kept of the memberships of a pantheon that is removed, after its node has gone with all else of them."""
    members = [each.personality_id for each in pantheon.members] if pantheon.has_hub else []
    left = [*kept_facts(pantheon, standing.graph, pantheon.members, standing.moment)]
    left += all_kept(standing.graph, pantheon.slug, but=members)
    return [form.gone(pantheon.slug), *left] if left else []


def _is_in_file(standing: RulesNow, slug: str, personality: str) -> bool:
    found = standing.file.pantheon(slug)
    return found is not None and any(each.personality_id == personality for each in found.members)


def _kept(standing: RulesNow, pantheon: Pantheon, personality: str) -> Iterable[Fact]:
    """Memberships that only the rule file says, put into the graph, since the graph's replace them."""
    if standing.graph.periods((personality, form.node_id(pantheon.slug), form.PART_OF)):
        return
    for each in pantheon.members:
        if each.personality_id == personality:
            yield from form.member_facts(pantheon.slug, each, now_text())
