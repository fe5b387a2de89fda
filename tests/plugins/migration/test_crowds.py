"""Digests of what a crowd shares look at it once, and miss no difference in it."""

from __future__ import annotations

from typing import Any

import pytest

from earwitness.copies import long_lists
from earwitness.records.memory import Memory
from earwitness.records.plan import Delivery, Plan
from earwitness_plugins.applications.migration.digests import DigestTexts, canonical_plan

CROWD = [f"c{number:03}" for number in range(300)]


def delivery(owner: str, heard: list[str], **metadata: Any) -> Delivery:
    given = {"session": "s1", "sequence": 1, "memory_id": owner, "container": f"s1-{owner}", "owner": owner}
    given |= {"source": "m1", "body": "Hear ye!", "due": 1, "support": {"learned_day": 1}}
    made = Delivery.model_validate({**given, "metadata": {"type": "message", **metadata}})
    made.metadata["participants"] = heard
    return made


def told(deliveries: list[Delivery]) -> str:
    return canonical_plan(Plan(session="s1", sequence=1, key="m1", deliveries=tuple(deliveries)))


def test_a_plan_has_one_text_however_its_lists_are_kept_and_another_if_one_listener_differs() -> None:
    ours = [delivery(each, CROWD) for each in CROWD]
    theirs = [delivery(each, [*CROWD]) for each in CROWD]
    assert told(ours) == told(theirs)
    theirs[7].metadata["participants"] = [*CROWD[:-1], "stranger"]
    assert told(ours) != told(theirs)
    assert len(told(ours)) < 1_000 * len(CROWD)


def test_the_order_of_metadata_makes_no_difference_and_its_keys_do() -> None:
    one = Memory(id="a", container="c", content="x", metadata={"participants": CROWD, "words": CROWD[:50]})
    other = Memory(id="a", container="c", content="x", metadata={"words": CROWD[:50], "participants": CROWD})
    swapped = Memory(id="a", container="c", content="x", metadata={"words": CROWD, "participants": CROWD[:50]})
    texts = DigestTexts()
    assert texts.of(one) == texts.of(other) != texts.of(swapped)


def test_a_list_that_all_of_them_share_is_made_text_of_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made, to_json = [], long_lists.to_json

    def counted(value: Any) -> bytes:
        made.append(value)
        return to_json(value)

    monkeypatch.setattr(long_lists, "to_json", counted)
    told([delivery(each, CROWD) for each in CROWD])
    assert len(made) == 1
