"""Filters as the service takes them: the same or a wider one, never a narrower one. What it lets through too much is
sorted out here.

NOT is pushed down to the comparisons. Whether a service counts a missing field as unequal is nobody's to know, so each
negative condition also says what a document must have or lack, by the list `earwitnessHas`. What goes beyond the
service's limits, five levels and 200 operands, is left out: the filter only becomes wider.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from earwitness.filters import And, Compare, Filter, In, Not, Operator, Or, Scalar, is_number

from .documents import CONTAINER, HAS, ID, LARGEST_WHOLE, ODD, PART, VERSION, can_hold, has, kind_of
from .names import cleaned, is_clean

Expression = dict[str, Any]
DEEPEST, MOST = 5, 200
IDS_AT_ONCE = 90
"""More memories than this are asked for in several requests."""
_ORDER: dict[Operator, str] = {">": "gt", ">=": "gte", "<": "lt", "<=": "lte"}
_OPPOSITE: dict[Operator, Operator] = {"==": "!=", "!=": "==", ">": "<=", ">=": "<", "<": ">=", "<=": ">"}


def of_container(container: str, *more: Expression | None) -> Expression:
    """A filter for a container's own documents that fulfil all further conditions, within the service's limits."""
    own = _text(CONTAINER, "eq", cleaned(container))
    found = _all([_shallow(each, DEEPEST - 1) for each in more])
    wanted = found["operands"] if found and found["operator"] == "and" else [found] if found else []
    room, kept = MOST - 1, [own]
    for each in sorted(wanted, key=operands):  # one that does not fit is checked here instead
        room -= 1 + operands(each)
        if room < 0:
            break
        kept.append(each)
    return {"operator": "and", "operands": kept}


def heads() -> Expression:
    """Each memory once, however many documents it has."""
    return _leaf(PART, "eq", 0)


def with_ids(ids: Sequence[str]) -> Expression:
    """The documents of these memories; at most `IDS_AT_ONCE`."""
    return {"operator": "or", "operands": [_text(ID, "eq", cleaned(id)) for id in ids]}


def written_since(version: int) -> Expression:
    """What was last written then or later."""
    return _leaf(VERSION, "gte", version)


def condition(filter: Filter, *, negated: bool = False) -> Expression | None:
    """The widest filter of the service that lets through all that this one does; `None` = everything."""
    match filter:
        case Not(part):
            return condition(part, negated=not negated)
        case And(parts) | Or(parts):
            found = [condition(part, negated=negated) for part in parts]
            return _all(found) if isinstance(filter, And) != negated else _any(found)
        case In(field, values):
            if len(values) > MOST:
                return None
            each = [condition(Compare(field, "==", value), negated=negated) for value in values]
            return _all(each) if negated else _any(each)
        case Compare(field, op, value):
            if not can_hold(field) or not _can_ask(value):
                return None
            return _unless(field, op, value) if negated else _compared(field, op, value)


def _can_ask(value: Scalar) -> bool:
    if isinstance(value, str):
        return is_clean(value) and ODD not in value
    return isinstance(value, bool) or abs(value) < LARGEST_WHOLE


def _compared(field: str, op: Operator, value: Scalar) -> Expression | None:
    """`field op value`: what is missing or of another kind does not fulfil it."""
    if op in _ORDER:
        return _leaf(field, _ORDER[op], value)
    if isinstance(value, str):
        texts, lists = _text(field, "eq", value), _leaf(field, "arrayContains", value)
        if op == "==":
            return _any([texts, lists])
        return _any([_all([_has(field, "text"), _negated(texts)]), _all([_has(field, "list"), _negated(lists)])])
    if op == "==":
        return _leaf(field, "eq", value)
    return _any([_all([_has(field, kind_of(value)), _leaf(field, "neq", value)]), _has(field, "list")])


def _unless(field: str, op: Operator, value: Scalar) -> Expression | None:
    """Not `field op value`: what is missing or of another kind fulfils it."""
    if op in _ORDER and is_number(value):
        return _any([_lacks(field, "number"), _leaf(field, _ORDER[_OPPOSITE[op]], value)])
    if isinstance(value, str):
        texts, lists = _text(field, "eq", value), _leaf(field, "arrayContains", value)
        if op == "==":
            texts, lists = _negated(texts), _negated(lists)
        return _all([_any([_lacks(field, "text"), texts]), _any([_lacks(field, "list"), lists])])
    opposite = _leaf(field, "neq" if op == "==" else "eq", value)
    unlike = _any([_lacks(field, kind_of(value)), opposite])
    return unlike if op == "==" else _all([_lacks(field, "list"), unlike])


# ── expressions ──────────────────────────────────────────────────────────────────────────────────────────────────


def _leaf(field: str, operator: str, value: Scalar) -> Expression:
    return {"field": field, "operator": operator, "value": value}


def _text(field: str, operator: str, value: str) -> Expression:
    return {**_leaf(field, operator, value), "case_sensitive": True}


def _negated(leaf: Expression) -> Expression:
    opposites = {"eq": "neq", "arrayContains": "arrayNotContains"}
    return {**leaf, "operator": opposites[leaf["operator"]]}


def _has(field: str, kind: str) -> Expression:
    return _leaf(HAS, "arrayContains", has(field, kind))


def _lacks(field: str, kind: str) -> Expression:
    return _leaf(HAS, "arrayNotContains", has(field, kind))


def _all(parts: Sequence[Expression | None]) -> Expression | None:
    """All of them; what is `None` holds for everything."""
    return _joined("and", [each for each in parts if each is not None])


def _any(parts: Sequence[Expression | None]) -> Expression | None:
    """At least one of them. None at all is left to be sorted out here, as everything."""
    return None if None in parts else _joined("or", [each for each in parts if each is not None])


def _joined(operator: str, parts: Sequence[Expression]) -> Expression | None:
    flat = [one for each in parts for one in (each["operands"] if each["operator"] == operator else [each])]
    return {"operator": operator, "operands": flat} if len(flat) > 1 else flat[0] if flat else None


def _shallow(expression: Expression | None, levels: int) -> Expression | None:
    """The expression with at most so many levels of groups."""
    if expression is None or "operands" not in expression:
        return expression
    if not levels:
        return None
    parts = [_shallow(each, levels - 1) for each in expression["operands"]]
    return _all(parts) if expression["operator"] == "and" else _any(parts)


def operands(expression: Expression) -> int:
    """How many operands all its groups have together."""
    inner: Sequence[Expression] = expression.get("operands", ())
    return len(inner) + sum(operands(each) for each in inner)
