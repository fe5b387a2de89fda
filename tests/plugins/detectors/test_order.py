"""A message in which somebody comes or goes before it ends: each piece has its own listeners."""

import pytest

from earwitness.loading.end_settings import EndSettings
from earwitness.records.character import Character
from earwitness.rehearsal import Rehearsal
from earwitness_plugins.detectors.rules import RulesDetector

PATIENCE = 60
CAST = ("ann", "bob", "cid", "dora", Character("narrator", kind="narrator"))
EVENING = """The four of them sat round the stove.

"The ferry is sold," said Ann. "I signed this morning."

"To whom?" asked Cid.

Bob stood up without a word. Bob left the room.

"To his brother," said Ann, once the steps had died away. "He must not hear of it."

Dora came in with the coal.

"Is it cold out there?" asked Cid.
"""


async def heard(text: str, present: list[str], speaker: str = "narrator") -> dict[str, str]:
    rehearsal = Rehearsal(RulesDetector(), CAST, present=present, end=EndSettings(detector_timeout=PATIENCE))
    settled = (await rehearsal.tell(speaker, text)).settled
    return {id: settled.heard_by(id) for id in settled.participants}


async def test_who_goes_does_not_hear_the_rest() -> None:
    bob = (await heard(EVENING, ["ann", "bob", "cid"]))["bob"]
    assert "I signed this morning" in bob
    assert "Bob left the room" in bob
    assert "his brother" not in bob
    assert "cold out there" not in bob


async def test_who_comes_hears_from_there_on() -> None:
    dora = (await heard(EVENING, ["ann", "bob", "cid"]))["dora"]
    assert "his brother" not in dora
    assert "I signed this morning" not in dora
    assert "cold out there" in dora


async def test_who_stays_hears_all_of_it_in_order() -> None:
    cid = (await heard(EVENING, ["ann", "bob", "cid"]))["cid"]
    assert cid.index("I signed") < cid.index("his brother") < cid.index("cold out there")


async def test_who_goes_and_returns_misses_what_is_between() -> None:
    text = """"I have the map," said Ann.

Bob leaves the room.

"It is forged," said Ann. "Cid drew it."

Bob comes back in.

"Shall we go?" said Ann."""
    bob = (await heard(text, ["ann", "bob", "cid"]))["bob"]
    assert "forged" not in bob
    assert "Shall we go" in bob
    assert "I have the map" in bob


async def test_a_character_whose_player_writes_for_others_perceives_all_of_it() -> None:
    text = '''"Sit down," Ann said.

*Bob leaves the room.*

"Now we can talk," said Cid. "The boat leaves at nine."'''
    found = await heard(text, ["ann", "bob", "cid"], speaker="ann")
    assert "boat leaves at nine" not in found["bob"]
    assert "boat leaves at nine" in found["cid"]
    assert found["ann"] == text


@pytest.mark.parametrize(
    "claim",
    ['"Bob leaves the room at six every day," said Ann.', "*Ann wonders whether Bob leaves the room.*"],
)
async def test_what_is_only_claimed_or_thought_takes_nobody_out(claim: str) -> None:
    text = f'{claim}\n\n"The boat leaves at nine," said Cid.'
    assert "boat leaves at nine" in (await heard(text, ["ann", "bob", "cid"]))["bob"]


async def test_with_nothing_said_afterwards_it_is_one_piece() -> None:
    assert (await heard("Bob leaves the room. The door bangs.", ["ann", "bob"]))["bob"].endswith("bangs.")


SAFE = '"The safe is open," said Ann.'


@pytest.mark.parametrize(
    "going",
    [
        "Bob and Cid walked out of the house.",
        "Bob and Cid fell asleep.",
        "[Bob leaves]\n\n[Cid leaves]",
        "Exit Bob.\n\nExit Cid.",
    ],
)
async def test_none_of_those_who_go_hears_what_is_said_afterwards(going: str) -> None:
    found = await heard(f"{going}\n\n{SAFE}", ["ann", "bob", "cid", "dora"])
    assert "safe" not in found.get("bob", "") + found.get("cid", "")
    assert "safe" in found["dora"]


async def test_none_of_those_who_come_in_one_sentence_heard_what_was_said_before() -> None:
    found = await heard(f'{SAFE}\n\nBob and Cid came in.\n\n"Tea?" asked Dora.', ["ann", "dora"])
    for id in ("bob", "cid"):
        assert "safe" not in found[id]
        assert "Tea?" in found[id]


async def test_who_goes_in_words_that_are_not_found_hears_none_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("earwitness_plugins.detectors.inference.order._found", lambda *_: (-1, 0))
    found = await heard(f"Bob left the room.\n\n{SAFE}", ["ann", "bob", "cid"])
    assert "safe" not in found.get("bob", "")
    assert "safe" in found["cid"]
