"""The three rule files of users tell whom the reference says, message by message."""

import os
from pathlib import Path
from random import Random

import pytest

from earwitness_relationships.propagation import Adjacency, Seed, spread
from earwitness_relationships.rules import Member, RuleBook, read_rules
from earwitness_relationships.testing.leaks import outcomes_by_listener
from earwitness_relationships.testing.reference import by_hop, reached, unjustified
from earwitness_relationships.testing.reference_rules import RulesAsWritten

FILES = ("relationships.json", "hazbin_hotel.json", "abrahamic_pantheon.json")
PEOPLE = ("charlie", "vaggie", "angel_dust", "god", "jesus", "holy_ghost", "kim")
ROLES = ("addressee", "present", "overhearing")
MESSAGES = 1_000


def book(name: str) -> RuleBook:
    """One of the files. A pantheon without members gets its own three deities, as a host would add them."""
    if (folder := os.environ.get("EARWITNESS_RULES")) is None:
        pytest.skip("EARWITNESS_RULES names no folder of rule files: users' own are not tried")
    read = read_rules(Path(folder) / name)
    deities = tuple(Member(personality_id=id) for id in ("god", "jesus", "holy_ghost"))
    filled = [p if p.members or p.relationships else p.model_copy(update={"members": deities}) for p in read.pantheons]
    return read.model_copy(update={"pantheons": tuple(filled)})


def messages() -> list[Seed]:
    """Random messages; `kim` is a user's persona."""
    random, found = Random(5), []
    for number in range(MESSAGES):
        there = random.sample(PEOPLE, random.randint(1, 4))
        direct = dict(zip(there, ("speaker", *random.choices(ROLES, k=len(there) - 1)), strict=True))
        about = tuple(random.sample(PEOPLE, random.randint(0, 2)))
        private, users = random.random() < 0.3, tuple(id for id in there if id == "kim")
        found.append(
            Seed(key=f"m{number}", day=2, speaker=there[0], direct=direct, users=users, about=about, private=private)
        )
    return found


@pytest.mark.parametrize("name", FILES)
def test_the_engine_tells_whom_the_reference_tells(name: str) -> None:
    rules = book(name)
    engine, reference = Adjacency(rules), RulesAsWritten(rules)
    reach = 0
    for seed in messages():
        found, expected = spread(engine, seed), reached(reference, seed)
        assert {who: (each.hop, each.day) for who, each in expected.items()} == {
            each.listener: (each.hop, each.day) for each in found.tellings
        }
        assert unjustified(reference, seed, found.tellings) == []
        reach += len(outcomes_by_listener(found))
    assert reach > 100


@pytest.mark.parametrize(
    ("name", "source", "expected"),
    [
        ("hazbin_hotel.json", "charlie", ["vaggie"]),
        ("hazbin_hotel.json", "angel_dust", []),
        ("relationships.json", "charlie", ["vaggie"]),
        ("abrahamic_pantheon.json", "god", ["holy_ghost", "jesus"]),
        ("relationships.json", "god", ["holy_ghost", "jesus"]),
    ],
)
@pytest.mark.parametrize("private", [True, False])
def test_a_user_talks_to_somebody_and_these_learn_of_it(
    name: str, source: str, expected: list[str], private: bool
) -> None:
    direct = {"kim": "speaker", source: "addressee"}
    seed = Seed(key="m", day=2, speaker="kim", direct=direct, users=("kim",), private=private)
    found = by_hop(reached(RulesAsWritten(book(name)), seed))
    spreads = not private or not name.startswith("hazbin")
    assert found == ({1: expected} if expected and spreads else {})
    how = {each.how for each in spread(Adjacency(book(name)), seed).tellings}
    assert how == (set() if not found else {"shared"} if source == "charlie" else {"witnessed"})
