"""`earwitness graph show|copy`: the relationship graph, and its way from one store to another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from earwitness_plugins.terminal import CliContext, GuessingGroup, story_command

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from earwitness import Record

GRAPHS = "Such as networkx, networkx(path='g.db') or neo4j(uri='bolt://localhost:7687')."
OURS = "[default: the settings' graph]"


@click.group("graph", cls=GuessingGroup)
def command() -> None:
    """Show the relationship graph, and move it from one store to another."""


@story_command("show")
@click.argument("node", required=False)
@click.option("--depth", type=click.IntRange(1, 100), help="List the nodes within this number of relations.")
@click.option("--history", is_flag=True, help="Show the changes instead.")
@click.option("--day", type=float, help="The game day.  [default: relations without a last day]")
@click.option("--limit", type=click.IntRange(min=0), default=100, show_default=True, help="How many at most.")
@click.option("--graph", metavar="GRAPH", help=f"The graph store.  {OURS}")
async def show(
    cli: CliContext,
    node: str | None,
    depth: int | None,
    history: bool,
    day: float | None,
    limit: int,
    graph: str | None,
) -> None:
    """List the relations of a NODE, or of all; those near it; or its history."""
    from earwitness.errors import InputError
    from earwitness_plugins.terminal import graph_tables as tables
    from earwitness_plugins.terminal.graphs import graph_spec, known_node, opened_graph

    if node is None and depth:
        raise InputError("--depth needs a NODE, as in graph show charlie --depth 2.")
    settings, whose = cli.settings(), node or "all"
    shown: Table
    found: Sequence[Record]
    async with opened_graph(graph_spec(graph, settings), settings) as store:
        version = await store.version()
        if node:
            await known_node(store, node)
        if history:
            found = changes = await (store.history(node) if node else store.changes())
            shown = tables.history_table(changes, f"History of {whose}", limit)
        elif depth and node:
            found = near = await store.neighbors(node_id=node, depth=depth, day=day)
            shown = tables.neighbor_table(near, f"Near {whose}", limit)
        else:
            found = held = await store.relations(node, day=day)
            shown = tables.relation_table(held, f"Relations of {whose}", limit)
    cli.answer({"version": version, "found": [each.model_dump(mode="json") for each in found[:limit]]}, shown)


@story_command("copy")
@click.option("--from", "source", metavar="GRAPH", help=f"The store to copy.  {OURS}")
@click.option("--to", "target", metavar="GRAPH", help=f"The store to copy to.  {OURS}  {GRAPHS}")
async def copy(cli: CliContext, source: str | None, target: str | None) -> None:
    """Copy the graph from one store to another, with all attributes, history and versions.

    The other store must be empty or hold an earlier copy, to which the missing changes are added. Settings that neo4j
    is not given, as in neo4j(namespace='b'), are those of the settings' graph if it is on the same server, and
    otherwise NEO4J_URI, NEO4J_USER, NEO4J_PASSWORD and NEO4J_DATABASE.
    """
    from earwitness.errors import InputError
    from earwitness.records.prose import counted
    from earwitness_plugins.applications.graphs.copy import copied
    from earwitness_plugins.terminal.graphs import described, graph_spec, opened_graph

    settings = cli.settings()
    one, other = graph_spec(source, settings), graph_spec(target, settings)
    if (one.name, one.revealed) == (other.name, other.revealed):
        raise InputError(f"both are {described(one)}. Name another store with --from or --to. {GRAPHS}")
    async with opened_graph(one, settings) as ours, opened_graph(other, settings, create=True) as theirs:
        version = await ours.version()
        with cli.progress("Copying", version) as advance:
            count = await copied(ours, theirs, advance)
    names = {"from": described(one), "to": described(other)}
    said = f"Copied {counted(count, 'change')} from {names['from']} to {names['to']}, which has version {version} now."
    cli.answer({**names, "changes": count, "version": version}, said)


command.add_command(show)
command.add_command(copy)
