"""Changes of pantheons and memberships, as facts. Pure but for the clock."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from earwitness.errors import did_you_mean

from ..errors import RulesError
from ..rules.given import checked_record, given_rules
from ..rules.records import Member, Pantheon, RuleBook


def now_text() -> str:
    """Now, ISO 8601 in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def known_pantheon(book: RuleBook, slug: str) -> Pantheon:
    """The pantheon. Raises `RulesError` that lists the known ones."""
    if found := book.pantheon(slug):
        return found
    slugs = [each.slug for each in book.pantheons]
    raise RulesError(f"unknown pantheon {slug!r}. Known: {', '.join(slugs) or 'none'}.{did_you_mean(slug, slugs)}")


def new_pantheon(book: RuleBook, slug: str, owner: str | None, **fields: Any) -> Pantheon:
    """A new pantheon. Raises `RulesError` if the slug is taken."""
    if any(each.slug.casefold() == str(slug).casefold() for each in book.pantheons):
        raise RulesError(f"pantheon {slug!r} already exists. Change it with `change`, or choose another slug.")
    made = {"owner": owner, "created_at": now_text(), "changed_at": now_text()}
    return checked_record(Pantheon, {**_fields(fields), "slug": slug, **made})


def changed_pantheon(pantheon: Pantheon, **fields: Any) -> Pantheon:
    """The pantheon with other fields, changed now. Raises `RulesError`."""
    changeable = ("name", "type", "description", "rules", "id")
    if unknown := next((name for name in fields if name not in changeable), None):
        guess = did_you_mean(unknown, changeable)
        raise RulesError(f"a pantheon has no {unknown!r} to change. Change {', '.join(changeable)}.{guess}")
    if not fields:
        raise RulesError(f"nothing changes. Give one of {', '.join(changeable)}.")
    return checked_record(Pantheon, {**dict(pantheon), **_fields(fields), "changed_at": now_text()})


def new_members(pantheon: Pantheon, given: Iterable[str | Mapping[str, Any] | Member]) -> tuple[Member, ...]:
    """Members: ids, tables or records. Raises `RulesError`, also for somebody who is a member twice."""
    members: list[Member] = []
    for each in given:
        member = each if isinstance(each, Member) else _member(each)
        _refuse_second([*pantheon.members, *members], member, pantheon.slug)
        members.append(member)
    return tuple(members)


def changed_member(pantheon: Pantheon, personality: str, since: float | None, fields: Mapping[str, Any]) -> Member:
    """The membership that began on that day, or the only one, with other fields. Raises `RulesError`."""
    found = memberships(pantheon, personality)
    if len(found) > 1:
        found = tuple(each for each in found if each.since == since)
        if not found:
            raise RulesError(
                f"{personality!r} was a member of {pantheon.slug!r} several times: say which membership with since=…."
            )
    return checked_record(Member, {**dict(found[0]), **_fields(fields)})


def memberships(pantheon: Pantheon, personality: str) -> tuple[Member, ...]:
    """The memberships of somebody. Raises `RulesError` that lists the members."""
    if found := tuple(each for each in pantheon.members if each.personality_id == personality):
        return found
    members = list(dict.fromkeys(each.personality_id for each in pantheon.members))
    known = f"Members: {', '.join(members) or 'none'}.{did_you_mean(personality, members)}"
    raise RulesError(f"{personality!r} is not a member of {pantheon.slug!r}. {known}")


def _member(given: str | Mapping[str, Any]) -> Member:
    values = {"personality_id": given} if isinstance(given, str) else dict(given)
    if "id" in values:
        values["personality_id"] = values.pop("id")
    return checked_record(Member, _fields(values))


def _fields(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: given_rules(value) if name == "rules" else value for name, value in values.items()}


def _refuse_second(members: Iterable[Member], new: Member, slug: str) -> None:
    for each in members:
        if each.personality_id == new.personality_id and each.overlaps(new):
            raise RulesError(f"{new.personality_id!r} is a member of {slug!r} already. A membership is unique.")
