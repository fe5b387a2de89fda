"""How long does it take to work out who learns a message, in a community of a million people?

People live in communities and have about ten relations each, of three types and with weights, in a networkx graph. A
pantheon of all of them is compiled against it, and messages of random people are told on for three hops: `bare`, over
strong acquaintances; `every`, over all relations; and `full`, as `bare` with decay, coins, a fan-out, a budget and
privacy. networkx walks the same breadth first over `subgraph_view`, which is what one would write without compiling.
Times are CPU time of single messages; `cost per recipient` compares the whole with a community of 1,000.
"""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

import click
import networkx as nx
from kit.options import output
from kit.report import Report, Table, Target, at_least, at_most, bars

from earwitness_relationships.graph.columns import Edge
from earwitness_relationships.propagation import Adjacency, Seed
from earwitness_relationships.propagation.walk import Walk
from earwitness_relationships.rules import Member, Pantheon, RuleBook, Rules
from earwitness_relationships.rules.records import Budget

COMMUNITY = 100
"""People in a community."""
TYPES = ("KNOWS", "KNOWS", "KNOWS", "ALLY_WITH", "ENEMY_OF")
HOPS = 3
STRONG = 0.5
LIVED = {"share_direct_interactions": True, "max_hops": HOPS}
RULES = {
    "bare": Rules.model_validate({**LIVED, "relation_types": ("KNOWS",), "min_weight": STRONG}),
    "every": Rules.model_validate({**LIVED, "min_weight": 0.0}),
    "full": Rules.model_validate(
        {
            **LIVED,
            "relation_types": ("KNOWS",),
            "min_weight": STRONG,
            "decay": 0.7,
            "chance": 0.8,
            "fan_out": 5,
            "budget": Budget(message=200),
            "exclude_private": True,
        }
    ),
}
MOST_BARE, MOST_FULL, LEAST_FASTER, MOST_MB, MOST_GROWTH = 100.0, 200.0, 1_000.0, 1_000.0, 3.0
SMALL = 1_000


@dataclass(frozen=True)
class Relations:
    """The relations of a networkx graph, as rules ask for them."""

    graph: nx.DiGraph

    def edges(self, source: str) -> Sequence[Edge]:
        """Relations that start at a node."""
        found = self.graph.adj.get(source, {})
        return [Edge(target, each["type"], each["weight"], -inf, inf) for target, each in found.items()]


@dataclass(frozen=True)
class Measured:
    """Messages under one set of rules."""

    name: str
    compiled: float
    """Seconds of CPU."""
    memory: float
    """Megabytes that compiling added."""
    times: Sequence[float]
    """Microseconds of CPU of each message, sorted."""
    recipients: int
    """In all."""

    @property
    def p50(self) -> float:
        """The median."""
        return self.times[len(self.times) // 2]

    @property
    def p99(self) -> float:
        """Of a hundred messages, one takes longer."""
        return self.times[len(self.times) * 99 // 100]

    @property
    def per_recipient(self) -> float:
        """Microseconds."""
        return sum(self.times) / max(1, self.recipients)


@click.command(help=__doc__)
@output
@click.option("--nodes", default=100_000, show_default=True, help="People; 1000000 needs 8 GB and some minutes.")
@click.option("--messages", default=2_000, show_default=True)
@click.option("--baseline", default=3, show_default=True, help="Messages that networkx walks.")
def main(as_json: bool, plot: Path | None, nodes: int, messages: int, baseline: int) -> None:
    """Make the communities, walk, report."""
    small = {each.name: each for each in _all(_community(SMALL), messages)}
    graph = _community(nodes)
    found = list(_all(graph, messages))
    theirs = _networkx(graph, baseline)
    edited = _edit(graph)
    _report(graph, found, small, theirs, edited).show(as_json=as_json, plot=plot)


def _community(nodes: int) -> nx.DiGraph:
    """People `p0`, `p1`, …, who mostly know those of their own community. The same each time."""
    made = random.Random(nodes)
    graph = nx.DiGraph()
    names = [f"p{number}" for number in range(nodes)]
    graph.add_nodes_from(names)
    weights = [number / 100 for number in range(1, 101)]
    for number, name in enumerate(names):
        first = number // COMMUNITY * COMMUNITY
        for _ in range(made.randint(5, 15)):
            near = first + made.randrange(min(COMMUNITY, nodes - first))
            other = names[near if made.random() < 0.95 else made.randrange(nodes)]
            if other != name:
                graph.add_edge(name, other, type=made.choice(TYPES), weight=made.choice(weights))
    return graph


def _all(graph: nx.DiGraph, messages: int) -> Iterator[Measured]:
    for name, rules in RULES.items():
        yield _measured(graph, name, rules, messages)


def _measured(graph: nx.DiGraph, name: str, rules: Rules, messages: int) -> Measured:
    gc.collect()
    before, began = _megabytes(), time.process_time()
    adjacency = _compiled(graph, rules)
    compiled = time.process_time() - began
    gc.collect()
    memory = _megabytes() - before
    names = list(graph)
    chosen = random.Random(7)
    times, recipients = [], 0
    gc.disable()
    for number in range(messages):
        walk = Walk(adjacency, _said(chosen.choice(names), number))
        start = time.thread_time_ns()
        walk.run()
        times.append((time.thread_time_ns() - start) / 1000)
        recipients += len(walk.known) - 1
    gc.enable()
    return Measured(name, compiled, memory, sorted(times), recipients)


def _compiled(graph: nx.DiGraph, rules: Rules) -> Adjacency:
    none = Rules()
    members = tuple(
        Member.unchecked({"since": None, "until": None, "personality_id": each, "role": "member", "rules": none})
        for each in graph
    )
    pantheon = Pantheon.unchecked({**dict(Pantheon(slug="town", rules=rules)), "members": members})
    adjacency = Adjacency(RuleBook.unchecked({"pantheons": (pantheon,), "feeds": {}, "version": ""}), Relations(graph))
    adjacency.compile_all()
    return adjacency


def _said(speaker: str, number: int) -> Seed:
    return Seed(key=f"m{number}", day=1, speaker=speaker, direct={speaker: "speaker"})


def _networkx(graph: nx.DiGraph, messages: int) -> float:
    """Microseconds of CPU that networkx takes for a message under the bare rules, the least of a few."""

    def carries(source: str, target: str) -> bool:
        edge = graph.edges[source, target]
        return bool(edge["type"] == "KNOWS" and edge["weight"] >= STRONG)

    chosen, names, times = random.Random(7), list(graph), []
    for _ in range(messages):
        start = time.thread_time_ns()
        view = nx.subgraph_view(graph, filter_edge=carries)
        list(nx.bfs_edges(view, chosen.choice(names), depth_limit=HOPS))
        times.append((time.thread_time_ns() - start) / 1000)
    return min(times, default=inf)


def _edit(graph: nx.DiGraph) -> float:
    """Milliseconds until a new relation counts: the edit, and the next message."""
    adjacency = _compiled(graph.subgraph([f"p{number}" for number in range(SMALL)]).copy(), RULES["bare"])
    new = f"p{SMALL - 1}"
    before = Walk(adjacency, _said("p0", 0))
    before.run()
    start = time.thread_time_ns()
    adjacency.relations.graph.add_edge("p0", new, type="KNOWS", weight=1.0)  # type: ignore[attr-defined]
    adjacency.invalidate(["p0"])
    after = Walk(adjacency, _said("p0", 0))
    after.run()
    took = (time.thread_time_ns() - start) / 1e6
    assert new in after.known, "the edit is not seen"
    return took


def _megabytes() -> float:
    """The memory of the process that is in use."""
    pages = int(Path("/proc/self/statm").read_text().split()[1]) if Path("/proc/self/statm").exists() else 0
    return pages * 4096 / 1e6


def _report(
    graph: nx.DiGraph, found: Sequence[Measured], small: dict[str, Measured], theirs: float, edited: float
) -> Report:
    title = f"{graph.number_of_nodes():,} people, {graph.number_of_edges():,} relations, {HOPS} hops"
    columns = ("p50_us", "p99_us", "recipients", "us_each", "growth", "compiled_s", "memory_mb")
    rows: list[list[Any]] = [
        [
            each.name,
            each.p50,
            each.p99,
            each.recipients / len(each.times),
            each.per_recipient,
            each.per_recipient / small[each.name].per_recipient,
            each.compiled,
            each.memory,
        ]
        for each in found
    ]
    results = {
        "nodes": graph.number_of_nodes(),
        "relations": graph.number_of_edges(),
        "rules": {row[0]: dict(zip(columns, row[1:], strict=True)) for row in rows},
        "networkx_us": theirs,
        "faster": theirs / found[0].p50,
        "edit_ms": edited,
    }
    table = Table(title, ["", *columns], [*rows, ["networkx", theirs, *[None] * 6]])
    draw = bars(title, "µs a message", {each.name: each.p50 for each in found})
    return Report("propagation", results, [table], draw, _targets(found, small, theirs))


def _targets(found: Sequence[Measured], small: dict[str, Measured], theirs: float) -> list[Target]:
    of = {each.name: each for each in found}
    growth = max(each.per_recipient / small[each.name].per_recipient for each in found)
    return [
        at_most("p50 of a message under bare rules, in µs", of["bare"].p50, MOST_BARE),
        at_most("p50 of a message under full rules, in µs", of["full"].p50, MOST_FULL),
        at_least("times as fast as networkx", theirs / of["bare"].p50, LEAST_FASTER),
        at_most("memory beside networkx, in MB", max(each.memory for each in found), MOST_MB),
        at_most(f"cost per recipient, times that of {SMALL:,} people", growth, MOST_GROWTH),
    ]


if __name__ == "__main__":
    main()
