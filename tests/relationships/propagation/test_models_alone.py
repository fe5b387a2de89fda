"""Named spreading models by themselves: what the papers say of them, one-way ties, and chances of their own."""

from collections.abc import Awaitable, Callable
from statistics import mean

import pytest

from earwitness import Session
from earwitness_relationships.compiled.coins import Coins
from earwitness_relationships.propagation.models import Ties, contacts
from earwitness_relationships.propagation.models.protocol import Tie
from earwitness_relationships.rules.check import warnings
from earwitness_relationships.rules.file import rules_in

from ..every_model import MODELS

LINE = {"ann": [Tie("ben", 1.0)], "ben": [Tie("cid", 1.0)]}


def reached(name: str, of: dict[str, list[Tie]], run: str, chance: float | None = None) -> set[str]:
    found = contacts(MODELS[name], Ties(of, chance, Coins(run)), ["ann"])
    return {each.listener for each in found}


@pytest.mark.parametrize("name", ["daley_kendall", "maki_thompson"])
def test_one_in_five_never_hears_a_rumour(name: str) -> None:
    """0.203 of a large crowd, in both models."""
    ids = [f"v{number}" for number in range(120)]
    crowd = {id: [Tie(other, 1.0) for other in ids if other != id] for id in ids}
    runs = [contacts(MODELS[name], Ties(crowd, None, Coins(f"run {run}")), ["v0"]) for run in range(40)]
    assert mean(119 - len(list(each)) for each in runs) / 120 == pytest.approx(0.203, abs=0.03)


def test_in_a_rumour_nobody_comes_first_because_of_their_id() -> None:
    """In a line, ann may go back to ben and stop both before ben has gone to cid, or after it."""
    runs = [reached("daley_kendall", LINE, f"run {run}") for run in range(60)]
    assert {frozenset(each) for each in runs} == {frozenset({"ben"}), frozenset({"ben", "cid"})}


@pytest.mark.parametrize("name", ["pull", "push_pull"])
def test_whoever_does_not_know_it_asks_those_who_may_tell_them(name: str) -> None:
    assert reached(name, LINE, "run") == {"ben", "cid"}


@pytest.mark.parametrize("name", ["push", "pull", "push_pull", "maki_thompson", "daley_kendall"])
def test_a_chance_counts_when_two_meet(name: str) -> None:
    assert not reached(name, LINE, "run", chance=0.0)


def test_each_tie_has_the_chance_of_its_own_rule() -> None:
    of = {"ann": [Tie("ben", 0.1, 1.0), Tie("cid", 0.1, 0.0), Tie("dan", 1.0)]}
    assert reached("independent_cascade", of, "run") == {"ben", "dan"}


async def test_the_chance_of_one_relationship_is_not_that_of_all(village: Callable[..., Awaitable[Session]]) -> None:
    own = "{from: ann, to: cid, type: rival, rules: [share_direct_interactions, {chance: 0}]}"
    rules = "{share_direct_interactions: true, share_with: [town], spreading: independent_cascade}"
    story = await village(
        f"town:\n  rules: {rules}\n  members: [ann, ben, cid]\n  relationships: [{own}]\n", "ann", "ben", "cid"
    )
    await story.say("ann", "It snows.", audience=[])
    await story.delivered()
    assert len((await story.backstage().inspect("ben")).memories) == 1


def test_models_heed_no_limits_and_the_check_says_so() -> None:
    option = "gossip_about_others: true, max_hops: 2, fan_out: 1, budget: {message: 2}, chance: 0.5"
    rules = f"{{spreading: linear_threshold, share_with: [town], {option}}}"
    said = [each.message for each in warnings(rules_in(f"town:\n  rules: {rules}\n  members: [ann, ben]\n"))]
    for name in ("budget", "chance", "fan_out", "gossip_about_others", "max_hops"):
        assert sum(each.startswith(f"{name} does nothing with spreading: linear_threshold") for each in said) == 1
