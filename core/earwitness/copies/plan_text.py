"""Plans and messages as the texts they are kept as. What is the same of thousands is said once, after a line break.

The first line is the record as JSON, without those tables and lists. The second, where there is one, holds them:
`{"names": [ids, …], "tables": {field: [whose, value, others]}, "lists": {field: whose}, "movements": [...]}`. Each of
the `names` is a list of ids, a line each. `whose` is the number of such a list, and the few who are left out of it;
`others` lists the few names with another value, each after that value.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import compress
from typing import Any, NamedTuple, Self

from pydantic import TypeAdapter

from ..records.many import AlikeRecords, Many
from ..records.message import Participant, SettledMessage
from ..records.moment import Movement, Perceived
from ..records.plan import Plan
from ..records.state import Whereabouts
from ..shared_values import without
from ..slices import MANY
from .json_text import as_json, value_as_json

FEW = 64
"""The most names that are listed because something else is said of them than of thousands."""
Whose = tuple[int, list[str]]
_PERCEIVERS = "last_perceivers"
_VALUES: Mapping[str, TypeAdapter[Any]] = {
    "presence": TypeAdapter(Perceived),
    "whereabouts": TypeAdapter(Whereabouts | None),
    "news_seen": TypeAdapter(int),
    "participants": TypeAdapter(Participant),
}
_OF_PLAN = ("presence", "whereabouts", "news_seen")


def message_of(text: str) -> SettledMessage:
    """The message that a text holds."""
    head, _, beside = text.partition("\n")
    settled = SettledMessage.model_validate_json(head)
    return _with_crowd(settled, _SharedTextReader(beside)) if beside else settled


class WrittenPlan(NamedTuple):
    """A plan as text, without its deliveries, and its message as a text of its own."""

    plan: str
    message: str | None

    @classmethod
    def of(cls, plan: Plan) -> Self:
        """The text of this plan. Raises `InputError` for what JSON cannot hold."""
        crowd = _SharedText()
        message = None if plan.message is None else _without_crowd(plan.message, crowd)
        own = None if message is None else crowd.beside(as_json(message))
        changes: dict[str, Any] = {name: {} for name in _OF_PLAN if crowd.takes(name, getattr(plan, name))}
        movements: Sequence[Movement] = plan.movements
        if isinstance(movements, Many):
            crowd.movements = [moved for part in movements.parts for moved in crowd.moved(part)]
            changes["movements"] = ()
        if crowd.lists_all(_PERCEIVERS, plan.state.get(_PERCEIVERS)):
            changes["state"] = {name: value for name, value in plan.state.items() if name != _PERCEIVERS}
        rest = plan.model_copy(update={**changes, "deliveries": (), "message": message})
        return cls(crowd.beside(as_json(rest, exclude={"deliveries"})), own)


def plan_of(text: str) -> Plan:
    """The plan that a text holds, without its deliveries."""
    head, _, beside = text.partition("\n")
    plan = Plan.model_validate_json(head)
    if not beside:
        return plan
    crowd = _SharedTextReader(beside)
    changes: dict[str, Any] = {name: crowd.table(name) for name in _OF_PLAN if name in crowd.tables}
    if crowd.movements:
        changes["movements"] = crowd.moves
    if _PERCEIVERS in crowd.lists:
        changes["state"] = {**plan.state, _PERCEIVERS: crowd.list(_PERCEIVERS)}
    if plan.message is not None:
        changes["message"] = _with_crowd(plan.message, crowd)
    return plan.model_copy(update=changes)


def plan_json(text: str) -> str:
    """The plan that a text holds as JSON, without its deliveries."""
    return as_json(plan_of(text), exclude={"deliveries"}) if "\n" in text else text


def _without_crowd(settled: SettledMessage, crowd: _SharedText) -> SettledMessage:
    if crowd.takes("participants", settled.participants):
        settled = settled.model_copy(update={"participants": {}})
    if crowd.lists_all("present", settled.message.present):
        settled = settled.model_copy(update={"message": settled.message.model_copy(update={"present": ()})})
    return settled


def _with_crowd(settled: SettledMessage, crowd: _SharedTextReader) -> SettledMessage:
    if "present" in crowd.lists:
        message = settled.message.model_copy(update={"present": tuple(crowd.list("present"))})
        settled = settled.model_copy(update={"message": message})
    if "participants" not in crowd.tables:
        return settled
    return settled.model_copy(update={"participants": crowd.table("participants")})


class _SharedText:
    """What is said of thousands, while a text is made."""

    def __init__(self) -> None:
        self._names: list[list[str]] = []
        self._lines: list[str] = []
        """The same lists, each as one text."""
        self._tables: dict[str, list[Any]] = {}
        self._lists: dict[str, Whose] = {}
        self.movements: list[Any] = []

    def takes(self, field: str, table: Mapping[str, object]) -> bool:
        """Take a table over if almost all of its thousands of names have the same value."""
        if len(table) <= MANY:
            return False
        values = list(table.values())
        keys = list(map(id, values))
        ((common, count),) = Counter(keys).most_common(1)
        if len(table) - count > FEW:
            return False
        plain = partial(_VALUES[field].dump_python, mode="json")
        different = compress(table.items(), map(common.__ne__, keys))
        others = [(plain(value), [name]) for name, value in different]
        self._tables[field] = [self._whose(list(table)), plain(values[keys.index(common)]), others]
        return True

    def lists_all(self, field: str, names: Sequence[str] | None) -> bool:
        """Take a list over if it is long."""
        if names is None or len(names) <= MANY:
            return False
        self._lists[field] = self._whose(list(names))
        return True

    def moved(self, part: Sequence[Movement]) -> list[Any]:
        """Movements, those of thousands as one."""
        if isinstance(part, AlikeRecords):
            return [[self._whose(list(part.ids)), part[0].model_dump(mode="json")]]
        return [each.model_dump(mode="json") for each in part]

    def beside(self, text: str) -> str:
        """The text, followed by what was taken over."""
        if not (self._tables or self._lists or self.movements):
            return text
        said: dict[str, Any] = {
            "names": self._lines,
            "tables": self._tables,
            "lists": self._lists,
            "movements": self.movements,
        }
        return f"{text}\n{value_as_json(said, 'what a plan says of thousands')}"

    def _whose(self, names: list[str]) -> Whose:
        if names in self._names:
            return self._names.index(names), []
        for number, known in enumerate(self._names):
            if 0 < len(known) - len(names) <= FEW:
                missing = set(known).difference(names)
                if without(known, missing) == names:
                    return number, sorted(missing)
        self._names.append(names)
        self._lines.append("\n".join(names))
        return len(self._names) - 1, []


class _SharedTextReader:
    """What is said of thousands, as a text holds it."""

    def __init__(self, text: str) -> None:
        said: dict[str, Any] = json.loads(text)
        self._names: list[str] = said["names"]
        self.tables: Mapping[str, list[Any]] = said["tables"]
        self.lists: Mapping[str, Whose] = said["lists"]
        self.movements: Sequence[Any] = said["movements"]

    def table(self, field: str) -> dict[str, Any]:
        """A table of the record's."""
        whose, common, others = self.tables[field]
        read = _VALUES[field].validate_python
        found: dict[str, Any] = dict.fromkeys(self._listed(whose), read(common))
        for value, names in others:
            found.update(dict.fromkeys(names, read(value)))
        return found

    def list(self, field: str) -> Sequence[str]:
        """A list of the record's."""
        return self._listed(self.lists[field])

    @property
    def moves(self) -> tuple[Movement, ...]:
        """The movements."""
        found: list[Movement] = []
        for each in self.movements:
            if isinstance(each, dict):
                found.append(Movement.model_validate(each))
            else:
                like = Movement.model_validate(each[1]).__dict__
                found += [Movement.unchecked({**like, "character": id}) for id in self._listed(each[0])]
        return tuple(found)

    def _listed(self, whose: Whose) -> Sequence[str]:
        number, missing = whose
        return without(self._names[number].split("\n"), set(missing))
