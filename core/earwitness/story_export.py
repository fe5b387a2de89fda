"""An exported story, which is read and checked before anything is written."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ConfigDict, JsonValue, TypeAdapter, ValidationError
from pydantic_core import to_json

from .carried_hubs import tells_a_hub
from .containers import Container, Membership, check_container
from .copies.plan_lines import SHARED, read_plan
from .errors import StoryError
from .ids import NAMED, RETOLD, WORLD, own_key
from .records.journal import BEGIN, Derived, Entry, Revised, Transferred
from .records.plan import Delivery, Plan
from .records.refusal import explained
from .records.snapshot import Snapshot
from .upgrades.versions import OLDEST, VERSION, upgraded
from .validation.records import check_readable, keepable

FORMAT = 6
"""The version of an export that is written: what many deliveries of a plan have in common stands in it once. The first
line also has the version of the `records`. An earlier export has one version, its records'."""
PluginValues = dict[str, dict[str, JsonValue]]
"""Plugin name → its data."""
_VALUES: TypeAdapter[dict[str, JsonValue]] = TypeAdapter(dict[str, JsonValue], config=ConfigDict(defer_build=True))


@dataclass(frozen=True, slots=True)
class StoryExport:
    """A complete export by `backstage().export()`. `Earwitness.import_session` accepts it."""

    id: str
    """The session it was exported from."""
    past: tuple[tuple[Entry, Plan], ...]
    """The entries with their plans, in order."""
    data: PluginValues
    """The data that plugins keep for the session."""
    containers: tuple[Container, ...] = ()
    """The session's containers other than those of the world and the characters."""
    memberships: tuple[Membership, ...] = ()
    """The memberships in these containers."""

    @property
    def left_out(self) -> tuple[str, ...]:
        """Names of the containers beyond the session for which the story wrote memories, which are not in the export.
        What rules told the hub of a pantheon is imported with the story."""
        made = [entry.body.derivation for entry, _ in self.past if isinstance(entry.body, Derived)]
        written = (each.container for each in made if not tells_a_hub(each))
        own = {None, *(each.name for each in self.containers)}
        return tuple(sorted(name for name in {*written} - own if name is not None))

    @classmethod
    def read(cls, lines: Sequence[Mapping[str, Any]]) -> StoryExport:
        """Read and check exported lines. Raises `StoryError` if they are not an export, or not a complete one."""
        origin, version = _origin(lines)
        found = cls(origin, *_parts(origin, version, lines))
        _check_complete(lines, found.past)
        _check(found)
        return found


Past = tuple[tuple[Entry, Plan], ...]


def _parts(
    origin: str, version: int, lines: Sequence[Mapping[str, Any]]
) -> tuple[Past, PluginValues, tuple[Container, ...], tuple[Membership, ...]]:
    """The entries with plans, the plugins' data, the containers and the memberships."""
    past: list[tuple[Entry, Plan]] = []
    data: PluginValues = {}
    containers: list[Container] = []
    members: list[Membership] = []
    snapshot = Snapshot(id=origin)
    for number, line in enumerate(lines[1:], 2):
        if (kind := line.get("kind")) not in ("entry", "data", "container"):
            raise StoryError(f"line {number}: kind {kind!r} is not one of session, entry, data, container.")
        try:
            match kind:
                case "entry":
                    past.append(_past(line, version))
                    snapshot = snapshot.after(past[-1][1])  # refuses an impossible state here
                case "data":
                    data[str(line["plugin"])] = kept = _VALUES.validate_python(line["data"])
                    check_readable(to_json(kept, inf_nan_mode="constants").decode())
                case "container":
                    containers.append(_container(origin, line["container"]))
                    members += _members(containers[-1], line["memberships"])
        except (ValueError, LookupError, TypeError, AttributeError) as error:  # pydantic's errors are `ValueError`s
            raise StoryError(f"line {number}: not an exported line: {_reason(error)}") from error
    return tuple(past), data, tuple(containers), tuple(members)


def _reason(error: Exception) -> str:
    """What is wrong with a line, in one sentence."""
    match error:
        case ValidationError():
            return explained(error).removeprefix(" = ")
        case KeyError(args=(str(key),)):
            return f"it has no {key!r}."
    return str(error)


def _container(origin: str, given: object) -> Container:
    """A container of this session. Raises `InputError` for a container of another session or of none."""
    found = check_container(Container.model_validate(given))
    if found.session != origin:
        raise StoryError(f"container {found.name!r} does not belong to session {origin!r}.")
    return found


def _members(container: Container, given: Sequence[object]) -> list[Membership]:
    found = [Membership.model_validate(each) for each in given]
    if wrong := next((each for each in found if each.container != container.name), None):
        raise StoryError(f"container {container.name!r}: one of its memberships names {wrong.container!r}.")
    return found


def _past(line: Mapping[str, Any], version: int) -> tuple[Entry, Plan]:
    """An entry and its plan, upgraded to the current version."""
    entry = Entry.model_validate(upgraded("entry", line["entry"], version))
    return keepable(entry), read_plan(_upgraded_plan(line["plan"], version))


def _upgraded_plan(plan: Any, version: int) -> Any:
    """The plan, also its deliveries and what these have in common, upgraded to the current version."""
    plan = upgraded("plan", plan, version)
    if not isinstance(plan, dict) or not isinstance(shared := plan.get(SHARED), dict):
        return plan
    return {**plan, SHARED: {**shared, "fields": upgraded("delivery", shared.get("fields"), version)}}


def _check_complete(lines: Sequence[Mapping[str, Any]], past: Sequence[tuple[Entry, Plan]]) -> None:
    if (found := len(lines) - 1) != (announced := lines[0].get("lines")):
        raise StoryError(
            f"the export is incomplete: its first line announces {announced!r} lines, but {found} follow. "
            "Export the story again."
        )
    if [entry.sequence for entry, _ in past] != list(range(1, len(past) + 1)):
        raise StoryError("the export is incomplete: its entries are not numbered 1, 2, 3, … in order.")


def _check(export: StoryExport) -> None:
    """Raise `StoryError` for plans that this session could not have made. They might write into another story."""
    members = {member.id for _, plan in export.past if plan.cast for member in plan.cast}
    owners = {f"{export.id}-{id}": id for id in (*members, WORLD)} | {
        each.name: each.name for each in export.containers
    }
    keys: set[str] = set()
    for entry, plan in export.past:
        wrong = _wrong_key(entry, keys) or _wrong_place(export.id, entry, plan) or _wrong_owner(plan, members, owners)
        if wrong:
            raise StoryError(f"entry {entry.sequence} of the export: {wrong} Export the story again.")
        keys.add(entry.key)


def _wrong_key(entry: Entry, keys: Collection[str]) -> str | None:
    if entry.key in keys:
        return f"its key {entry.key!r} is an earlier entry's."
    made = {own_key(entry.sequence), BEGIN}
    begin = {Derived: "#", Revised: NAMED, Transferred: RETOLD}.get(type(entry.body))
    by_us = begin is not None and entry.key.startswith(begin)
    if entry.key.startswith("#") and entry.key not in made and not by_us:
        return f"its key {entry.key!r} is not {own_key(entry.sequence)!r}."
    return None


def _wrong_place(origin: str, entry: Entry, plan: Plan) -> str | None:
    parts: list[Entry | Plan | Delivery] = [entry, plan, *plan.deliveries]
    if plan.key == entry.key and {(each.session, each.sequence) for each in parts} == {(origin, entry.sequence)}:
        return None
    return f"it, its plan (key {plan.key!r}) and deliveries are not all of key {entry.key!r} and session {origin!r}."


def _wrong_owner(plan: Plan, members: Collection[str], owners: Mapping[str, str]) -> str | None:
    own = [each for each in plan.deliveries if not each.beyond_session]
    strangers = {each.owner for each in own if each.owner not in owners.values()}.union(plan.forgotten) - {*members}
    if strangers:
        return f"{', '.join(map(repr, sorted(strangers)))} was never in the cast."
    wrong = next((each for each in own if owners.get(each.container) != each.owner), None)
    return None if wrong is None else f"its delivery to {wrong.owner!r} names container {wrong.container!r}."


def _origin(lines: Sequence[Mapping[str, Any]]) -> tuple[str, int]:
    """The id of the exported session, and the version of its records. Raises `StoryError` if this is not an export."""
    for number, line in enumerate(lines, 1):
        if not isinstance(line, Mapping):
            raise StoryError(f"line {number}: not an exported line: {line!r} is not an object.")
    head = lines[0] if lines else {}
    if head.get("kind") != "session" or not isinstance(head.get("id"), str):
        raise StoryError("line 1: not an Earwitness export: the first line must be of kind 'session' and hold its id.")
    return str(head["id"]), _records_version(head)


def _records_version(head: Mapping[str, Any]) -> int:
    """The version of the records. Raises `StoryError` for an export, or records, of a version that is not known."""
    format = head.get("version")
    if not isinstance(format, int) or format not in range(OLDEST, FORMAT + 1):
        raise _unknown_version("the export", format, FORMAT)
    version = format if format < FORMAT else head.get("records")
    if not isinstance(version, int) or version not in range(OLDEST, VERSION + 1):
        raise _unknown_version("the export's records", version, VERSION)
    return version


def _unknown_version(of: str, given: object, newest: int) -> StoryError:
    newer = isinstance(given, int) and given > newest
    what = "Update Earwitness." if newer else "Export the story again with a newer Earwitness."
    return StoryError(f"line 1: version {given!r} of {of} is not one of those known here, {OLDEST} to {newest}. {what}")
