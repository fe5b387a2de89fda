"""Deliveries taken apart: their bodies, fields and long lists are texts, of which those of one plan share most.

`fields` are all fields of a delivery except those that it has for itself (`OWN`), its body, and the long lists of its
metadata. What is different in those of a copy of a message is a text of its own (`differences.py`).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from ..records.crowd import OWN, CrowdCopies
from ..records.many import parts_of
from ..records.plan import Delivery
from ..slices import in_pieces, in_slices
from .differences import Differences, differing, share_fields
from .json_text import as_json, value_as_json
from .long_lists import Lists, ListTexts, lists_in

FEW = 3
"""The most deliveries of a plan that say the same difference each; more of them share a text of their own."""
_APART = {*OWN, "body"}
_BLANK = "".join(f',"{name}":""' for name in (*OWN, "body")) + "}"
"""The end of a JSON object, in which the fields that each delivery has for itself are still empty."""


class DeliveryParts(NamedTuple):
    """A delivery without what it has for itself, as JSON."""

    body: str
    """Its body."""
    fields: str
    """Its fields, or those of the world's copy."""
    lists: str | None
    """The long lists of its metadata."""
    difference: str | None
    """What is different in its own fields."""


class AlikeDeliveries(NamedTuple):
    """Deliveries one after the other that differ only in what each has for itself."""

    deliveries: Sequence[Delivery]
    """The deliveries, at least one."""
    parts: DeliveryParts
    """What they have in common."""


_FieldTexts = tuple[str, str | None, str | None]
_NO_TEXTS: _FieldTexts = ("", None, None)


async def taken_apart(deliveries: Sequence[Delivery]) -> list[AlikeDeliveries]:
    """A plan's deliveries in their order, with their parts. Each different text is made once.

    Raises `InputError` for what JSON cannot hold.
    """
    runs = await _runs(deliveries)
    texts = {run[0].body for run in runs}
    bodies = {text: value_as_json(text, "the text of a delivery") for text in texts}
    fields = _field_texts(runs, await in_slices(_differences(runs)))
    return await in_slices(
        AlikeDeliveries(run, DeliveryParts(bodies[run[0].body], *its)) for run, its in zip(runs, fields, strict=True)
    )


async def _runs(deliveries: Sequence[Delivery]) -> list[Sequence[Delivery]]:
    """The deliveries in their order, those together that differ only in what each has for itself."""
    found: list[Sequence[Delivery]] = []
    for part in parts_of(deliveries):
        found += [part] if isinstance(part, CrowdCopies) else await _runs_among([*part])
    return found


async def _runs_among(deliveries: Sequence[Delivery]) -> list[list[Delivery]]:
    last = list[Delivery]()

    def begun(some: Sequence[Delivery]) -> Iterator[list[Delivery]]:
        nonlocal last
        for each in some:
            if last and last[-1].body == each.body and share_fields(each, last[-1]):
                last.append(each)
            else:
                last = [each]
                yield last

    return await in_pieces(deliveries, begun)


def _field_texts(runs: Sequence[Sequence[Delivery]], differences: Sequence[str | None]) -> Iterator[_FieldTexts]:
    """The fields, long lists and difference of each run; each different text is made once."""
    lists, whole = ListTexts(), dict[str, _FieldTexts]()
    first = before = _whole(runs[0][0], lists) if runs else _NO_TEXTS
    often = _often(runs, differences)
    for position, (run, difference) in enumerate(zip(runs, differences, strict=True)):
        if difference is None:
            as_before = not position or share_fields(run[0], runs[position - 1][0])
            before = before if as_before else _whole(run[0], lists)
        elif difference in often:
            if difference not in whole:
                whole[difference] = _whole(run[0], lists)
            before = whole[difference]
        else:
            before = (*first[:2], difference)
        yield before


def _often(runs: Sequence[Sequence[Delivery]], differences: Sequence[str | None]) -> set[str]:
    """The differences that more than a few deliveries have."""
    counts = Counter[str]()
    for run, difference in zip(runs, differences, strict=True):
        if difference is not None:
            counts[difference] += len(run)
    return {text for text, count in counts.items() if count > FEW}


def _differences(runs: Sequence[Sequence[Delivery]]) -> Iterator[str | None]:
    """What is different in each run from the first delivery, the world's; `None` where that is too much."""
    if not runs:
        return
    differences, found = Differences(runs[0][0]), None
    yield found
    for before, run in pairwise(runs):
        if before is runs[0] or not share_fields(run[0], before[0]):
            found = differences.of(run[0])
        yield found


def _whole(delivery: Delivery, lists: ListTexts) -> _FieldTexts:
    metadata, its_lists = lists.taken(delivery.metadata)
    short = delivery if its_lists is None else delivery.model_copy(update={"metadata": metadata})
    return as_json(short, exclude=_APART), its_lists, None


class PartsReader:
    """Makes deliveries of their parts again. Those with the same fields share one metadata and one support."""

    def __init__(self, session: str, texts: Mapping[int, str]) -> None:
        """`texts` are bodies, fields and lists by number, each as JSON."""
        self._session = session
        self._texts = texts
        self._bodies: dict[int, str] = {}
        self._lists: dict[int, Lists] = {}
        self._deliveries: dict[tuple[int, int | None, str | None], Delivery] = {}

    def delivery(
        self, own: Sequence[str], body: int, fields: int, lists: int | None, difference: str | None
    ) -> Delivery:
        """The delivery of these texts, and what it has for itself. Raises `ValidationError` if they are none."""
        values = {**self._shared(fields, lists, difference).__dict__, **dict(zip(OWN, own, strict=True))}
        return Delivery.unchecked({**values, "body": self._body(body)})

    def _shared(self, fields: int, lists: int | None, difference: str | None) -> Delivery:
        key = (fields, lists, difference)
        if key not in self._deliveries:
            made = self._made(fields, lists) if difference is None else self._shared(fields, lists, None)
            self._deliveries[key] = made if difference is None else differing(made, difference)
        return self._deliveries[key]

    def _made(self, fields: int, lists: int | None) -> Delivery:
        made = Delivery.model_validate_json(self._texts[fields].removesuffix("}") + _BLANK)
        made.metadata.update({} if lists is None else self._long_lists(lists))
        made.__dict__["session"] = self._session  # a branch has the texts of its parent
        return made

    def _body(self, number: int) -> str:
        if number not in self._bodies:
            self._bodies[number] = json.loads(self._texts[number])
        return self._bodies[number]

    def _long_lists(self, number: int) -> Lists:
        if number not in self._lists:
            self._lists[number] = lists_in(self._texts[number])
        return self._lists[number]
