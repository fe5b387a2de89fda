"""Named spreading models: their reach against another program, and a pantheon that chooses one."""

import random
import warnings
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import mean
from typing import Any

import networkx as nx
import pytest

from earwitness import Character, Earwitness
from earwitness_relationships.compiled.coins import Coins
from earwitness_relationships.propagation.models import SpreadingModel, Ties, contacts
from earwitness_relationships.propagation.models.cascades import IndependentCascade, Sir
from earwitness_relationships.propagation.models.protocol import Tie
from earwitness_relationships.propagation.models.rounds import Push
from earwitness_relationships.propagation.models.rumours import MakiThompson

from ..every_model import MODELS

RUNS = 1_500


def village() -> nx.DiGraph:
    graph = nx.DiGraph(nx.gnp_random_graph(40, 0.1, seed=3, directed=True))
    nx.set_edge_attributes(graph, 0.2, "activation_prob")
    for target in graph:
        for source in graph.predecessors(target):
            graph.edges[source, target]["influence"] = 1 / graph.in_degree(target)
    return graph


def ties(graph: nx.DiGraph, weight: str, run: int) -> Ties:
    of = {
        str(each): sorted(Tie(str(other), found[weight]) for other, found in graph.adj[each].items()) for each in graph
    }
    return Ties(of, None, Coins(f"run {run}"))


def reach(graph: nx.DiGraph, model: SpreadingModel, weight: str) -> float:
    return mean(1 + len(list(contacts(model, ties(graph, weight, run), ["0"]))) for run in range(RUNS))


@pytest.mark.parametrize(
    ("name", "weight", "made"),
    [
        ("independent_cascade", "activation_prob", "networkx_to_ic_model"),
        ("linear_threshold", "influence", "networkx_to_lt_model"),
    ],
)
def test_the_reach_is_that_of_another_program(name: str, weight: str, made: str) -> None:
    utils = pytest.importorskip("cynetdiff.utils", reason="cynetdiff is not there for this Python")
    graph = village()
    theirs, numbers = getattr(utils, made)(graph, rng=5)
    theirs.set_seeds({numbers[0]})
    total = 0
    for _ in range(RUNS):
        theirs.reset_model()
        theirs.advance_until_completion()
        total += theirs.get_num_activated_nodes()
    assert reach(graph, MODELS[name], weight) == pytest.approx(total / RUNS, rel=0.1)


@pytest.mark.parametrize("model", [IndependentCascade(), Sir(recovery=1.0)])
def test_the_reach_is_that_of_eon(model: SpreadingModel) -> None:
    """Who is infected for one round tries each neighbour once, as in a cascade. EoN is there for every Python."""
    with warnings.catch_warnings(action="ignore"):
        theirs: Any = pytest.importorskip("EoN", reason="EoN is not there")
    graph = village()
    random.seed(5)
    runs = [theirs.basic_discrete_SIR(graph, 0.2, initial_infecteds=[0])[3][-1] for _ in range(RUNS)]
    assert reach(graph, model, "activation_prob") == pytest.approx(mean(map(float, runs)), rel=0.1)


@pytest.mark.parametrize("name", MODELS)
def test_a_model_tells_only_along_ties_from_those_who_know_it_and_each_once(name: str) -> None:
    graph = village()
    among = ties(graph, "activation_prob", 1)
    known = {"0"}
    for contact in contacts(MODELS[name], among, ["0"]):
        assert contact.teller in known
        assert contact.listener not in known
        assert graph.has_edge(int(contact.teller), int(contact.listener))
        known.add(contact.listener)
    assert list(contacts(MODELS[name], among, ["0"])) == list(contacts(MODELS[name], among, ["0"]))


def test_push_reaches_everybody_whom_ties_lead_to() -> None:
    graph = nx.DiGraph(nx.complete_graph(12))
    nx.set_edge_attributes(graph, 1.0, "weight")
    assert len(list(contacts(Push(), ties(graph, "weight", 0), ["0"]))) == 11


def test_a_rumour_dies_before_everybody_knows_it() -> None:
    graph = nx.DiGraph(nx.complete_graph(60))
    nx.set_edge_attributes(graph, 1.0, "weight")
    ignorant = mean(59 - len(list(contacts(MakiThompson(), ties(graph, "weight", run), ["0"]))) for run in range(200))
    assert 0.1 < ignorant / 60 < 0.35  # one in five never hears it (Maki and Thompson 1973)


async def test_a_pantheon_chooses_a_model_by_name(
    open_app: Callable[..., Awaitable[Earwitness]], tmp_path: Path
) -> None:
    rules = "town:\n  rules: {share_direct_interactions: true, share_with: [town], spreading: push, delay: 1}\n"
    (tmp_path / "rules.yaml").write_text(f"{rules}  members: [ann, ben, cleo]\n")
    graph = {"name": "networkx", "path": str(tmp_path / "graph.db")}
    ew = await open_app(relationships={"rules": str(tmp_path / "rules.yaml"), "graph": graph})
    story = await ew.session("s1", cast=[Character(id) for id in ("ann", "ben", "cleo", "dan")])
    await story.say("ann", "The mill has burnt down.", audience=[])
    await story.change(game_day=40)
    await story.delivered()
    told: dict[str, Any] = {who: (await story.backstage().inspect(who)).memories for who in ("ben", "cleo", "dan")}
    assert [len(told[who]) for who in ("ben", "cleo", "dan")] == [1, 1, 0]
    assert min(told[who][0].learned_day for who in ("ben", "cleo")) == 2
