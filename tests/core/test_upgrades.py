"""Records of earlier versions become today's: each kind by its own change, and the records inside them too."""

from typing import Any

import pytest

from earwitness.redaction import REDACTED
from earwitness.upgrades.from_3 import FROM_3
from earwitness.upgrades.from_4 import FROM_4
from earwitness.upgrades.upgrade import StoredKind, Upgrade, touches, upgraded_once
from earwitness.upgrades.versions import OLDEST, VERSION, upgraded


def marked(record: dict[str, Any]) -> dict[str, Any]:
    return {**record, "new": True}


EVERYTHING: Upgrade = dict.fromkeys(("entry", "body", "plan", "message", "delivery", "snapshot"), marked)  # type: ignore[assignment]


def test_the_records_inside_a_record_are_upgraded_too() -> None:
    plan = {"message": {"key": "m1"}, "deliveries": [{"id": "d1"}, {"id": "d2"}], "answers": [{}]}
    assert upgraded_once("plan", plan, EVERYTHING) == {
        "message": {"key": "m1", "new": True},
        "deliveries": [{"id": "d1", "new": True}, {"id": "d2", "new": True}],
        "answers": [{}],
        "new": True,
    }
    assert upgraded_once("entry", {"body": {}}, EVERYTHING) == {"body": {"new": True}, "new": True}


def test_a_record_without_what_the_ledger_keeps_elsewhere_is_upgraded() -> None:
    assert upgraded_once("plan", {"message": None}, EVERYTHING) == {"message": None, "new": True}


def test_kinds_that_an_upgrade_does_not_name_stay() -> None:
    upgrade: Upgrade = {"message": marked}
    assert upgraded_once("snapshot", {"id": "s1"}, upgrade) == {"id": "s1"}
    assert touches(upgrade, "plan")
    assert not touches(upgrade, "snapshot")


@pytest.mark.parametrize("junk", [None, 7, "text", [None]])
def test_what_is_no_record_is_left_for_validation(junk: object) -> None:
    assert upgraded("plan", junk, OLDEST) == junk
    assert upgraded_once("plan", {"message": junk}, EVERYTHING) == {"message": junk, "new": True}


def test_a_record_of_today_stays() -> None:
    plan = {"answers": [{"by": "detector:mine", "settings": {"api_key": "as it was recorded"}}]}
    assert upgraded("plan", plan, VERSION) == plan


def test_version_3_loses_the_secrets_of_its_settings_and_of_the_failures_that_quote_them() -> None:
    plan = {
        "answers": [
            {"by": "detector:mine", "settings": {"api_key": "sk-1234567", "n": 3}, "failure": None},
            {"by": "guard:mine", "settings": {}, "failure": "401: Bearer sk-1234567 was refused"},
        ]
    }
    before = repr(plan)
    answers = upgraded_once("plan", plan, FROM_3)["answers"]
    assert answers[0]["settings"] == {"api_key": REDACTED, "n": 3}
    assert answers[1]["failure"] == f"401: Bearer {REDACTED} was refused"
    assert repr(plan) == before
    assert "strategies" not in upgraded_once("snapshot", {"strategies": {"detector": {"token": "sk-1234567"}}}, FROM_3)


def test_the_fields_of_version_3_get_the_names_of_version_4() -> None:
    entry = upgraded_once("entry", {"key": "m1", "settled": True}, FROM_3)
    assert entry == {"key": "m1", "applied": True}
    plan = upgraded_once("plan", {"told": {"bob": 3}, "withdrawals": [{"falls": {"d1": "m1"}}]}, FROM_3)
    assert (plan["news_seen"], plan["withdrawals"]) == ({"bob": 3}, [{"removes": {"d1": "m1"}}])
    snapshot = upgraded_once("snapshot", {"told": {"bob": 3}, "settled": 7, "joined": {"bob": 1}}, FROM_3)
    assert snapshot == {"news_seen": {"bob": 3}, "decided": 7, "joined": {"bob": 1}, "state": {}}


def test_the_participants_of_version_3_are_those_who_perceived_the_previous_message() -> None:
    kinds: tuple[StoredKind, ...] = ("plan", "snapshot")
    for kind in kinds:
        state = upgraded_once(kind, {"state": {"participants": ["bob"], "game_day": 3}}, FROM_3)["state"]
        assert state == {"last_perceivers": ["bob"], "game_day": 3}


def test_the_context_of_version_3_is_all_that_is_known_of_the_channel() -> None:
    entry = upgraded_once("entry", {"body": {"kind": "said", "content": "Hello.", "context": "dm"}}, FROM_3)
    assert entry["body"] == {"kind": "said", "content": "Hello.", "channel": {"context": "dm"}}
    plan = upgraded_once("plan", {"message": {"message": {"key": "m1", "context": "dm"}, "heard": {}}}, FROM_3)
    assert plan["message"] == {"message": {"key": "m1", "channel": {"context": "dm"}}, "heard": {}}
    assert upgraded_once("body", {"kind": "retracted", "target": "m1"}, FROM_3) == {"kind": "retracted", "target": "m1"}


def test_a_change_of_the_game_time_in_version_3_is_one_of_the_game_day_when_it_is_told_again() -> None:
    changed = upgraded_once("body", {"kind": "changed", "changes": {"GameTime": 6, "mana": 3}}, FROM_3)
    assert changed["changes"] == {"game_day": 6, "mana": 3}


def test_whom_version_4_called_present_are_those_who_perceive_all_of_it() -> None:
    for kind in ("said", "revised"):
        entry = upgraded_once("entry", {"body": {"kind": kind, "present": ["bob"]}}, FROM_4)
        assert entry["body"] == {"kind": kind, "audience": ["bob"]}
    plan = upgraded_once("plan", {"message": {"message": {"key": "m1", "present": ["bob"]}, "heard": {}}}, FROM_4)
    assert plan["message"] == {"message": {"key": "m1", "audience": ["bob"]}, "heard": {}}


def test_a_message_of_version_4_of_which_the_host_said_nothing_stays() -> None:
    told = {"kind": "said", "content": "Hello.", "present": None}
    assert upgraded_once("body", told, FROM_4) == told
    settled = {"message": {"key": "m1", "present": None}}
    assert upgraded_once("message", settled, FROM_4) == settled


def test_a_state_key_of_the_host_s_own_that_was_called_channels_gets_another_name() -> None:
    kinds: tuple[StoredKind, ...] = ("plan", "snapshot")
    for kind in kinds:
        found = upgraded_once(kind, {"state": {"channels": {"general": "open"}, "mana": 3}}, FROM_4)
        assert found == {"state": {"host_channels": {"general": "open"}, "mana": 3}}
    changed = upgraded_once("body", {"kind": "changed", "changes": {"channels": 3}}, FROM_4)
    assert changed == {"kind": "changed", "changes": {"host_channels": 3}}
    assert upgraded_once("body", {"kind": "changed"}, FROM_4) == {"kind": "changed"}
