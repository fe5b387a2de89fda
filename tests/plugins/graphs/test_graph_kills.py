"""A process that is killed while it writes loses nothing that was acknowledged, and leaves no batch in part."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from earwitness_plugins.graphs.networkx import NetworkxGraph

BATCH = 5
WRITER = """
import sys
import anyio
from earwitness_plugins.graphs.networkx import NetworkxGraph
from earwitness_relationships.graph import Fact, Relation

async def write():
    graph = NetworkxGraph(path=sys.argv[1])
    await graph.open()
    number = await graph.version()
    while True:
        number += 1
        facts = [Fact(relation=Relation(source=f"b{number}", target=f"t{n}", type="KNOWS")) for n in range(5)]
        print(await graph.upsert_facts(facts), flush=True)

anyio.run(write)
"""


def written_until_killed(path: str, acknowledged: int) -> int:
    """The last version that a writer acknowledged before it was killed, after so many batches."""
    with subprocess.Popen([sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        versions = [int(writer.stdout.readline()) for _ in range(acknowledged)]
        writer.kill()
        versions += [int(line) for line in writer.stdout if line.endswith("\n")]
    return versions[-1]


@pytest.mark.parametrize("acknowledged", [1, 12])
async def test_what_was_acknowledged_survives_a_kill(tmp_path: Path, acknowledged: int) -> None:
    path = str(tmp_path / "graph.db")
    for _ in range(2):
        version = written_until_killed(path, acknowledged)
        graph = NetworkxGraph(path=path)
        await graph.open()
        log = await graph.changes()
        assert [change.version for change in log] == list(range(1, len(log) + 1))
        assert len(log) >= version
        sources = Counter(each.source for each in await graph.relations())
        assert set(sources.values()) == {BATCH}
        await graph.close()
