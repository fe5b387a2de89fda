"""A plan as an export writes it: what many deliveries have in common once, so that a crowd's is not square.

The deliveries of a crowd are apart::

    {"deliveries": [{"memory_id": "…", "container": "s1-bob", "owner": "bob", "body": 0, "fields": 0, "lists": 0}, …],
     "shared": {"bodies": ["Hear ye!"], "fields": [{"source": "m1", …}], "lists": [{"participants": ["bob", …]}]}}

`body`, `fields` and `lists` are places in the three lists of `shared`, counted from 0. `lists` are the long lists of
the metadata in `fields`, where empty ones keep their places. `difference` is what else is different in metadata and
support. Few deliveries are written whole, each with all its fields.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field
from pydantic_core import to_json

from ..records.base import Record
from ..records.crowd import OWN
from ..records.memory import Support
from ..records.memory_types import MetaValue
from ..records.plan import Delivery, Plan
from ..slices import in_slices
from ..validation.records import check_readable, keepable
from .parts import DeliveryParts, PartsReader, taken_apart

FEW = 16
"""The deliveries of a plan with up to so many are written whole."""
SHARED = "shared"
"""The key of what deliveries have in common."""


class _GivenDifference(Record):
    """What is different in a delivery from others with the same fields."""

    metadata: dict[str, MetaValue] = {}
    support: dict[str, Any] = {}

    @property
    def text(self) -> str:
        """As JSON, its values checked. Raises `ValidationError`."""
        support = Support.model_validate({"learned_day": 0, **self.support})
        changed = support.model_dump(mode="json", include={*self.support})
        return to_json({"metadata": self.metadata, "support": changed}).decode()


class _GivenDelivery(Record):
    """A delivery that shares its body, fields and long lists with others."""

    memory_id: str
    container: str
    owner: str
    body: int = Field(ge=0)
    fields: int = Field(ge=0)
    lists: int | None = Field(default=None, ge=0)
    difference: _GivenDifference | None = None


class _GivenShared(Record):
    """What the deliveries of a plan have in common."""

    bodies: tuple[str, ...]
    fields: tuple[dict[str, Any], ...]
    lists: tuple[dict[str, list[str]], ...] = ()

    @property
    def texts(self) -> dict[int, str]:
        """All of it as JSON, numbered from 0: bodies, fields, lists."""
        return {number: to_json(each).decode() for number, each in enumerate((*self.bodies, *self.fields, *self.lists))}

    def numbers(self, each: _GivenDelivery) -> tuple[int, int, int | None]:
        """The numbers of a delivery's texts. Raises `ValueError` for a place that is not there."""
        named = (("bodies", each.body), ("fields", each.fields), ("lists", each.lists))
        for table, place in named:
            if place is not None and place >= len(getattr(self, table)):
                raise ValueError(f"the delivery to {each.owner!r} names {table}[{place}], which is not in {SHARED!r}")
        first = len(self.bodies)
        lists = None if each.lists is None else first + len(self.fields) + each.lists
        return each.body, first + each.fields, lists


async def plan_line(plan: Plan) -> dict[str, Any]:
    """A plan, JSON-ready, its keys in the order of its fields."""
    if len(plan.deliveries) <= FEW:
        return plan.model_dump(mode="json")
    runs = await taken_apart(plan.deliveries)
    bodies, fields, lists = (_DistinctTexts([each.parts[number] for each in runs]) for number in range(3))

    def line(delivery: Delivery, its: DeliveryParts) -> dict[str, Any]:
        own = {name: getattr(delivery, name) for name in OWN}
        named = {**own, "body": bodies.places[its.body], "fields": fields.places[its.fields]}
        named |= {} if its.lists is None else {"lists": lists.places[its.lists]}
        return named if its.difference is None else {**named, "difference": json.loads(its.difference)}

    deliveries = await in_slices(line(each, run.parts) for run in runs for each in run.deliveries)
    shared = {"bodies": bodies.values, "fields": fields.values, "lists": lists.values}
    rest = plan.model_copy(update={"deliveries": ()}).model_dump(mode="json")
    return {**rest, "deliveries": deliveries, SHARED: shared}


class _DistinctTexts:
    """Different texts, each once."""

    def __init__(self, texts: Sequence[str | None]) -> None:
        found = [each for each in dict.fromkeys(texts) if each is not None]
        self.places = {text: place for place, text in enumerate(found)}
        self.values = [json.loads(text) for text in found]


def read_plan(line: Mapping[str, Any]) -> Plan:
    """The plan of a line, in the current version of records. Raises `ValueError` and the like for what is none."""
    if not isinstance(line, dict) or SHARED not in line:
        return keepable(Plan.model_validate(line))
    rest = {key: value for key, value in line.items() if key not in ("deliveries", SHARED)}
    given = {"deliveries": line["deliveries"], SHARED: line[SHARED]}
    check_readable(to_json(given, inf_nan_mode="constants").decode())
    plan, shared = keepable(Plan.model_validate(rest)), _GivenShared.model_validate(line[SHARED])
    apart = [_GivenDelivery.model_validate(each) for each in line["deliveries"]]
    reader = PartsReader(plan.session, shared.texts)
    deliveries = [
        reader.delivery(
            (each.memory_id, each.container, each.owner),
            *shared.numbers(each),
            None if each.difference is None else each.difference.text,
        )
        for each in apart
    ]
    return plan.model_copy(update={"deliveries": tuple(deliveries)})
