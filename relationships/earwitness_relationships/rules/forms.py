"""The forms in which a rule file may be written, brought into the one form of a `RuleBook`.

::

    tavern: {members: [alice, bob], rules: {…}, relationships: [{from: alice, to: bob, rules: […]}]}
    slug: tavern …                  # one pantheon a file, as applications export it
    pantheons: {tavern: {…}}        # or a list of pantheons
    feeds: {item_acquired: OWNS}    # beside any of them
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, get_args

from pydantic import BaseModel

from earwitness.errors import did_you_mean
from earwitness.formats import snake
from earwitness.loading.problems import Loc, unknown_key
from earwitness.loading.quantities import Switch
from earwitness.records.refusal import path_text

from .draft import FileKey, RuleDraft, allowed
from .records import Budget, Conditions, Feed, Member, Pantheon, RelationshipRule, Rules

DraftTable = dict[str, Any]


def spelled(option: str) -> str:
    """How an option is written in a file."""
    return "as" if option == "manner" else option


def _spellings(record: type[BaseModel]) -> dict[str, str]:
    """Spelling → field. Errors show the first spelling of a field."""
    return {name: name for name in record.model_fields}


PANTHEON = _spellings(Pantheon) | {"propagation_rules": "rules", "memberships": "members"}
MEMBER = _spellings(Member) | {"id": "personality_id", "personality": "personality_id", "custom_rules": "rules"}
RELATIONSHIP = {"from": "source", "to": "target"} | _spellings(RelationshipRule) | {"mutual": "mutual"}
RELATIONSHIP |= {"custom_rules": "rules"}
RULES = {"as": "manner"} | _spellings(Rules)
BROADCAST = {"as": "manner", "to": "to"}
FEED = _spellings(Feed)
TO_EVERYBODY = ("propagate_all", "propagate_all_user_interactions")
"""The options that may say to whom they go."""
SWITCHES = tuple(name for name, field in Rules.model_fields.items() if Switch in get_args(field.annotation))
"""The options that a list of rules may name."""
BESIDE = ("feeds", "$schema")
"""The keys of a file that are not a pantheon."""


def book(draft: RuleDraft) -> DraftTable:
    """The rule book as plain data. Problems, and the places of all parts, are noted in the draft."""
    top = draft.file.value
    if not isinstance(top, dict) or not top:
        draft.refuse((), 'a rule file begins with the slug of a pantheon and a colon, or with the key "slug".')
        return {}
    draft.written[()] = ()
    feeds = next((FileKey((key,), value) for key, value in top.items() if snake(str(key)) == "feeds"), FileKey((), {}))
    return {"pantheons": list(_pantheons(draft, top)), "feeds": _feeds(draft, feeds)}


# ── pantheons ───────────────────────────────────────────────────────────────────────────────────────────────────────


def _pantheons(draft: RuleDraft, top: DraftTable) -> Iterator[DraftTable]:
    own = {key: value for key, value in top.items() if snake(str(key)) not in BESIDE}
    names = {snake(str(key)): key for key in own}
    if "pantheons" in names:
        for key in own.keys() - {names["pantheons"]}:
            draft.refuse((key,), unknown_key(str(key), ["pantheons", *BESIDE]))
        given = _listed(draft, FileKey((names["pantheons"],), own[names["pantheons"]]))
    elif names.keys() & PANTHEON.keys():
        given = [(None, FileKey((), own))]
    else:
        given = [(slug, FileKey((slug,), value)) for slug, value in own.items()]
    for number, (name, pantheon) in enumerate(given):
        yield _pantheon(draft, ("pantheons", number), name, pantheon)


def _listed(draft: RuleDraft, key: FileKey) -> list[tuple[Any, FileKey]]:
    """What a key holds as a list, or under slugs or ids: slug or `None` → its key."""
    match key.value:
        case list():
            return [(None, FileKey((*key.at, number), value)) for number, value in enumerate(key.value)]
        case dict():
            return [(name, FileKey((*key.at, name), value)) for name, value in key.value.items()]
    draft.refuse(key.at, f"{path_text(key.at)}: {key.value!r:.80} cannot be used: a list is needed.")
    return []


def _pantheon(draft: RuleDraft, loc: Loc, slug: object, given: FileKey) -> DraftTable:
    draft.written[loc] = given.at
    value = {} if given.value is None and slug is not None else given.value
    if slug is not None and not isinstance(value, dict):
        draft.refuse(given.at, _no_pantheon(str(slug), value))
        return {"slug": slug}
    found = draft.keys(given.at, value, PANTHEON, _elsewhere(slug, value))
    values = {name: _part_of_pantheon(draft, (*loc, name), key) for name, key in found.items()}
    if slug is None:
        return values
    if "slug" in values and values["slug"] != slug:
        draft.refuse(found["slug"].at, f"slug {values['slug']!r} stands under the key {slug!r}. Leave one of them out.")
    return {**values, "slug": slug}


def _elsewhere(slug: object, pantheon: object) -> Callable[[str, object], str]:
    """Where a key belongs that is not part of a pantheon."""
    own = [key for key in pantheon if snake(str(key)) in PANTHEON] if isinstance(pantheon, dict) else []

    def hint(key: str, value: object) -> str:
        if key in RULES:
            return f" {key} is an option: write it below rules."
        if slug is None and own and isinstance(value, dict):
            return f" {own[0]!r} at the top makes a file one pantheon: to write several, put it below a slug."
        return ""

    return hint


def _no_pantheon(slug: str, value: object) -> str:
    guess = did_you_mean(snake(slug), PANTHEON)
    where = path_text((slug,))
    return f"{where}: {value!r:.80} is not a pantheon. Write its members, relationships and rules below it.{guess}"


def _part_of_pantheon(draft: RuleDraft, loc: Loc, key: FileKey) -> Any:
    draft.written[loc] = key.at
    match loc[-1]:
        case "rules":
            return rules(draft, loc, key)
        case "members":
            return _members(draft, loc, key)
        case "relationships":
            return _relationships(draft, loc, key)
    return key.value


def _members(draft: RuleDraft, loc: Loc, given: FileKey) -> list[Any]:
    members: list[Any] = []
    for id, key in _listed(draft, given):
        here = (*loc, len(members))
        draft.written[here] = key.at
        members.append(_member(draft, here, id, key))
    return members


def _member(draft: RuleDraft, loc: Loc, id: object, given: FileKey) -> Any:
    """A member: `vaggie`, `{id: vaggie, role: leader}`, or below its id `leader` or `{role: leader}`."""
    if id is None and not isinstance(given.value, dict):
        return {"personality_id": given.value}
    if id is not None and isinstance(given.value, str | None):
        return {"personality_id": id} | ({"role": given.value} if given.value else {})
    found = draft.keys(given.at, given.value, MEMBER)
    return {**_fields(draft, loc, found, rules=rules), **({} if id is None else {"personality_id": id})}


def _relationships(draft: RuleDraft, loc: Loc, given: FileKey) -> list[DraftTable]:
    """Relationships, one each way for those that are `mutual`."""
    relationships: list[DraftTable] = []
    if isinstance(given.value, dict):
        draft.refuse(given.at, "relationships are a list: begin each with a dash, as in - {from: a, to: b}.")
        return relationships
    for _, key in _listed(draft, given):
        here = (*loc, len(relationships))
        draft.written[here] = key.at
        values = _fields(draft, here, draft.keys(key.at, key.value, RELATIONSHIP), rules=rules)
        mutual = values.pop("mutual", False)
        if not isinstance(mutual, bool):
            draft.refuse((*key.at, "mutual"), f"mutual: {mutual!r} cannot be used: true or false is needed.")
        relationships.append(values)
        if mutual is True and {"source", "target"} <= values.keys():
            draft.written[(*loc, len(relationships))] = key.at
            relationships.append({**values, "source": values["target"], "target": values["source"]})
    return relationships


def _fields(
    draft: RuleDraft, loc: Loc, found: dict[str, FileKey], **readers: Callable[[RuleDraft, Loc, FileKey], Any]
) -> DraftTable:
    """The values of the keys by field, some of them through a reader. Their places are noted."""
    values = {}
    for name, key in found.items():
        draft.written[(*loc, name)] = key.at
        values[name] = readers[name](draft, (*loc, name), key) if name in readers else key.value
    return values


# ── rules ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def rules(draft: RuleDraft, loc: Loc, given: FileKey) -> DraftTable:
    """Options with values, or a list of options: `[gossip_about_others, {delay: 2}]`."""
    values: DraftTable = {}
    for key in _entries(given):
        for name, option in _unfolded(draft, _options(draft, key)):
            if name in values:
                draft.refuse(option.at, f"{path_text(given.at)}: {spelled(name)!r} is set twice. Set it once.")
            draft.written[(*loc, name)] = option.at
            values[name] = _value(draft, (*loc, name), option)
    return values


def _unfolded(draft: RuleDraft, options: dict[str, FileKey]) -> Iterator[tuple[str, FileKey]]:
    """The options; `{to: all_members, as: witnessed}` is taken apart: the option is on, and `as` is one of its own."""
    for name, option in options.items():
        if name not in TO_EVERYBODY or not isinstance(option.value, dict):
            yield name, option
            continue
        inner = draft.keys(option.at, option.value, BROADCAST)
        yield name, FileKey(option.at, True)
        if "to" in inner and inner["to"].value != "all_members":
            where = path_text(inner["to"].at)
            draft.refuse(inner["to"].at, f"{where}: {inner['to'].value!r} is not allowed. Allowed: 'all_members'.")
        if "manner" in inner:
            yield "manner", inner["manner"]


def _entries(given: FileKey) -> Iterable[FileKey]:
    if isinstance(given.value, list):
        return [FileKey((*given.at, number), value) for number, value in enumerate(given.value)]
    return [given]


def _options(draft: RuleDraft, key: FileKey) -> dict[str, FileKey]:
    if not isinstance(key.value, str):
        return draft.keys(key.at, key.value, RULES)
    name = RULES.get(snake(key.value))
    if name in SWITCHES:
        return {str(name): FileKey(key.at, True)}
    if name is not None:
        draft.refuse(key.at, f"{path_text(key.at)}: {key.value!r} needs a value, as in {{{key.value}: …}}.")
    else:
        names = allowed(RULES)
        guess = did_you_mean(snake(key.value), names)
        draft.refuse(key.at, f"{path_text(key.at)}: unknown rule {key.value!r}. Allowed: {', '.join(names)}.{guess}")
    return {}


def _value(draft: RuleDraft, loc: Loc, option: FileKey) -> Any:
    match loc[-1], option.value:
        case (("propagate_all" | "propagate_all_user_interactions"), dict()):
            return _fields(draft, loc, draft.keys(option.at, option.value, BROADCAST))
        case "budget", int() if not isinstance(option.value, bool):
            return {"message": option.value}
        case "budget", _:
            return _fields(draft, loc, draft.keys(option.at, option.value, _spellings(Budget)))
        case "conditions", _:
            found = draft.keys(option.at, option.value, _spellings(Conditions))
            return _fields(draft, loc, found, flags=_flags, places=_one_or_more)
    return option.value


def _flags(draft: RuleDraft, loc: Loc, key: FileKey) -> Any:
    """Flags with their values, or a list of flags that must be set."""
    names = [key.value] if isinstance(key.value, str) else key.value
    if isinstance(names, list) and all(isinstance(each, str) for each in names):
        return dict.fromkeys(names, True)
    return key.value


def _one_or_more(draft: RuleDraft, loc: Loc, key: FileKey) -> Any:
    return [key.value] if isinstance(key.value, str) else key.value


# ── feeds ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def _feeds(draft: RuleDraft, given: FileKey) -> Any:
    if not isinstance(given.value, dict):
        draft.refuse(given.at, f"feeds: {given.value!r:.80} cannot be used: write item_acquired: OWNS below it.")
        return {}
    draft.written[("feeds",)] = given.at
    return {
        str(type_): _feed(draft, str(type_), FileKey((*given.at, type_), each)) for type_, each in given.value.items()
    }


def _feed(draft: RuleDraft, update_type: str, key: FileKey) -> DraftTable:
    loc = ("feeds", update_type)
    draft.written[loc] = key.at
    if isinstance(key.value, str):
        return {"relation": key.value}
    if not isinstance(key.value, dict):
        draft.refuse(
            key.at, f"{path_text(loc)}: {key.value!r:.80} cannot be used: write a relation type, such as OWNS."
        )
        return {"relation": "RELATES_TO"}
    return _fields(draft, loc, draft.keys(key.at, key.value, FEED))
