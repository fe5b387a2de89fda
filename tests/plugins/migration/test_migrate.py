"""Moving house: nothing is lost, nothing is there twice, and the walls stay where they are."""

# ruff: noqa: ASYNC221 - programs are waited for, and the files are small

import asyncio
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from textwrap import dedent
from typing import Any, NamedTuple, cast

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings

from earwitness import Earwitness
from earwitness.errors import InputError, StorageError
from earwitness.filters import And, Compare, Filter, In, Not, Or, equals
from earwitness.loading.settings import Settings
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness.testing.samples import memory
from earwitness.testing.scripted import ByScript, Crier
from earwitness.testing.scripts import Draw, Script, draws
from earwitness_plugins.applications.migration import Backends, moved
from earwitness_plugins.applications.migration.sessions import session_digest
from earwitness_plugins.terminal.group import group
from earwitness_plugins.testing.supermemory import Emulator

from ...examples import share_of
from .stories import CAST, GUILD, LODGE, contents, record, sentences, strategies

pytestmark = pytest.mark.anyio
PROGRAM = Path(__file__).with_name("killed_move.py")
TARGETS = {
    "sqlite": 'path = "b.db"\n',
    "markdown": 'path = "b.db"\nstore = "markdown"\n',
    "qdrant": 'path = "b.db"\nstore = "qdrant"\n',
    "mem0": 'path = "b.db"\nstore = "mem0"\n',
    "postgres": """
        [ledger]
        name = "postgres"
        dsn = "{dsn}"
        timeout = 30
        [store]
        name = "postgres"
        dsn = "{dsn}"
        timeout = 30
        """,
    "supermemory": """
        path = "b.db"
        [store]
        name = "supermemory"
        api_key = "any"
        base_url = "{url}"
        timeout = 60
        search_timeout = 30
        """,
}
"""Settings of each place to move to; `dsn` is that of a new database, `url` that of an emulator."""
MESSAGES = 45
Run = Callable[..., Awaitable[Result]]


class Asked(NamedTuple):
    """A question to a container."""

    container: str
    text: str
    expected: frozenset[str]
    """Ids of the memories that hold the text there."""


@pytest.fixture
def run() -> Run:
    """The command line, with an event loop of its own."""

    async def invoke(*words: str) -> Result:
        begun = partial(CliRunner().invoke, group, words, prog_name="earwitness")
        return await asyncio.get_running_loop().run_in_executor(None, begun)  # `to_thread` would hand on this loop

    return invoke


@pytest.fixture(scope="module")
async def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with stories; copy it."""
    path = tmp_path_factory.mktemp("recorded") / "a.db"
    async with Earwitness.open(path, **strategies()) as ew:
        await record(ew, messages=MESSAGES)
    return path


@pytest.fixture
def source(recorded: Path, tmp_path: Path) -> str:
    (tmp_path / "a.db").write_bytes(recorded.read_bytes())
    return str(tmp_path / "a.db")


def target(folder: Path, text: str) -> str:
    (folder / "b.toml").write_text(text, "utf-8")
    return str(folder / "b.toml")


@pytest.fixture(params=TARGETS)
def anywhere(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A settings file for each place to move to."""
    text = TARGETS[request.param]
    with Emulator() if "{url}" in text else nullcontext() as service:
        dsn = request.getfixturevalue("postgres_dsn") if "{dsn}" in text else ""
        url = service.url if service else ""
        yield target(tmp_path, dedent(text).format(dsn=dsn, url=url))


def filters(number: int) -> Filter:
    """200 different ones."""
    day, speaker = Compare("learnedDay", "<=", number % 7), equals("speaker", CAST[number % 4])
    kind = In("type", ("message", "note", "world_state_update")[: 1 + number % 3])
    heard = equals("interactionType", ("direct", "witnessed", "shared")[number // 4 % 3])
    shapes: Sequence[Filter] = (
        And((day, speaker)),
        Or((day, heard)),
        And((kind, Not(speaker))),
        Not(And((day, kind))),
        day,
    )
    return And((shapes[number % 5], Not(equals("messageIds", f"m{number % 40}"))))


async def filtered(ew: Earwitness) -> list[list[str]]:
    """What 200 reads with filters find, without any ranking."""
    names = [f"s1-{id}" for id in (*CAST, "world")]
    reads = [ew.engine.store.list(names[n % 5], filter=filters(n)) for n in range(200)]
    return [[found.id for found in await read] for read in reads]


async def asked(ew: Earwitness) -> tuple[list[Asked], list[Asked]]:
    """Questions with the words of a message: 200 to containers that hold it, and 40 to others."""
    held, strange = [], []
    for container in (f"{story}-{owner}" for story in ("s1", "twig") for owner in (*CAST, "world")):
        memories = await ew.engine.store.list(container)
        for text in sentences(MESSAGES):
            ids = frozenset(each.id for each in memories if text in each.content)
            (held if ids else strange).append(Asked(container, text, ids))
    return held[:200], strange[::6][:40]


async def missed(ew: Earwitness, questions: Sequence[Asked]) -> list[Asked]:
    """Those of which the best five hold no memory that is expected, or one that this container does not hold."""
    found = []
    for each in questions:
        hits = [hit.memory for hit in await ew.engine.store.search(each.container, each.text.rstrip("."), limit=5)]
        assert {hit.container for hit in hits} <= {each.container}
        right = {hit.id for hit in hits if each.text in hit.content}
        if not right <= each.expected or bool(right) != bool(each.expected):
            found.append(each)
    return found


async def in_mind(ew: Earwitness) -> list[list[str]]:
    """What everybody recalls in both stories, whatever the order."""
    found = []
    for id in ("s1", "twig"):
        story = await ew.open_session(id)
        for character in CAST:
            for query in ("the crown in the cave", "the whale", "the ring in the tavern"):
                turn = await story.turn(character, query=query, memories=100)
                found.append(sorted(each.memory.id for each in turn.memories))
    return found


async def test_a_moved_session_is_read_as_before(source: str, anywhere: str, run: Run) -> None:
    """Filters find the same to the letter, questions the same memory among the best, and the walls are the same."""
    done = await run("migrate", source, anywhere)
    assert done.exit_code == 0, done.output
    assert "2 stories" in done.output
    async with Earwitness.open(source) as one, Earwitness.open(settings=anywhere) as other:
        assert await contents(other) == await contents(one)
        reads = await filtered(one)
        assert await filtered(other) == reads
        assert sum(map(bool, reads)) > 100
        held, strange = await asked(one)
        assert (len(held), len(strange)) == (200, 40)
        assert await missed(other, [*held, *strange]) == await missed(one, [*held, *strange]) == []
        assert await in_mind(other) == await in_mind(one)


async def test_and_back_again_it_goes_on_as_if_it_had_never_moved(
    source: str, tmp_path: Path, run: Run, anywhere: str
) -> None:
    """What was due arrives, what is told on is told on, and what is retracted is forgotten by all."""
    back = str(tmp_path / "c.db")
    for way in ((source, anywhere), (anywhere, back)):
        done = await run("migrate", *way)
        assert done.exit_code == 0, done.output
    found = []
    for place in (source, back):
        async with Earwitness.open(place, **strategies()) as ew:
            story = await ew.open_session("s1")
            await story.change(game_day=9, description="Winter comes", audience="public", key="winter")
            await story.say("bob", "The wolf is at the bridge.", key="wolf", audience=["carol"])
            await story.retract("m10")
            await story.restore("m7")
            await story.delivered()
            held = await contents(ew)
            for each in held["s1-world"] + held["s1-carol"] + held["s1-dave"] + held["s1-alice"] + held["s1-bob"]:
                del each["metadata"]["timestamp"]
            found.append([held, str(await story.backstage().who_knows("the wolf is at the bridge"))])
    assert found[0] == found[1]


async def test_the_ledger_is_the_same_to_the_last_delivery(source: str, tmp_path: Path) -> None:
    """Shared containers, members, plugin data outside plans, what was forgotten and by whom."""
    async with Earwitness.open(source) as one, Earwitness.open(ledger=MemoryLedger(), store=MemoryStore()) as other:
        ours, theirs = one.engine.ledger, cast(MemoryLedger, other.engine.ledger)
        done = await moved(Backends(ours, one.engine.store), Backends(theirs, other.engine.store))
        assert [each.session for each in done.sessions] == ["s1", "twig"]
        assert {"recalls": 1} in [await theirs.data("s1", owner) for owner in await theirs.data_owners("s1")]
        assert list(await theirs.claimed([LODGE.name])) == []
        assert list(await theirs.deliveries("s1", container=LODGE.name)) == []
        assert [each.name for each in await theirs.containers(None)] == [GUILD.name]
        assert [(each.member, each.since) for each in await theirs.memberships()] == [("carol", 1)]
        for id in ("s1", "twig"):
            assert await session_digest(ours, id, ()) == await session_digest(theirs, id, ())
            assert await theirs.load(id) == await ours.load(id)


async def test_the_source_is_only_read_and_a_second_move_changes_nothing(source: str, tmp_path: Path, run: Run) -> None:
    async with Earwitness.open(source) as ew:
        before = await contents(ew), [await session_digest(ew.engine.ledger, id, ()) for id in ("s1", "twig")]
    to = str(tmp_path / "b.db")
    first, second = [json.loads((await run("migrate", source, to, "--json")).output) for _ in range(2)]
    assert (first.pop("was_there"), second.pop("was_there")) == (False, True)
    assert [each.pop("was_there") for each in (*first["sessions"], *second["sessions"])] == [False, False, True, True]
    assert first == second
    said = (await run("migrate", source, to)).output
    assert said.startswith(f"Nothing to move: {to} already holds all of {source}, 2 stories and ")
    async with Earwitness.open(source) as ew:
        assert (await contents(ew), [await session_digest(ew.engine.ledger, id, ()) for id in ("s1", "twig")]) == before


@pytest.mark.parametrize(("name", "writes"), [("sqlite", 5), ("sqlite", 105), ("markdown", 150)])
async def test_a_move_that_is_killed_goes_on_where_it_stopped(
    source: str, tmp_path: Path, run: Run, name: str, writes: int
) -> None:
    to = target(tmp_path, TARGETS[name])
    killed = subprocess.run([sys.executable, str(PROGRAM), source, to, str(writes)], check=False, capture_output=True)
    assert killed.returncode == -9, killed.stderr.decode()
    again = await run("migrate", source, to)
    assert again.exit_code == 0, again.output
    async with Earwitness.open(source) as one, Earwitness.open(settings=to) as other:
        assert await contents(other) == await contents(one)


async def test_a_move_that_is_killed_again_and_again_at_random_loses_nothing(
    source: str, tmp_path: Path, run: Run
) -> None:
    """`kill -9` from outside, wherever it is just then."""
    seed = int(os.environ.get("EARWITNESS_KILL_SEED", random.SystemRandom().randrange(10**9)))
    print(f"EARWITNESS_KILL_SEED={seed}")
    dice, to = random.Random(seed), str(tmp_path / "b.db")
    ended = [_killed(source, to, after=dice.uniform(0, longest)) for longest in (0.03, 0.1, 0.2, 0.3)]
    assert ended[0] == -9
    again = await run("migrate", source, to)
    assert again.exit_code == 0, again.output
    async with Earwitness.open(source) as one, Earwitness.open(to) as other:
        assert await contents(other) == await contents(one)


def _killed(source: str, to: str, *, after: float) -> int:
    """Move, and kill the program some seconds after it has begun. How it ended: -9, or 0 if it was done by then."""
    command = [sys.executable, str(PROGRAM), source, to, "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "begun\n"
        time.sleep(after)
        program.kill()
    return program.returncode


async def test_what_is_half_moved_cannot_be_played_meanwhile(source: str, tmp_path: Path) -> None:
    to = target(tmp_path, TARGETS["sqlite"])
    subprocess.run([sys.executable, str(PROGRAM), source, to, "20"], check=False, capture_output=True)
    async with Earwitness.open(settings=to) as ew:
        with pytest.raises(InputError, match="was interrupted"):
            await ew.open_session("s1")


async def test_only_the_memories_move_where_the_ledger_is_the_same(source: str, tmp_path: Path, run: Run) -> None:
    to = target(tmp_path, 'path = "a.db"\nstore = "markdown"\n')
    done = await run("migrate", source, to)
    assert done.exit_code == 0, done.output
    assert "stories" not in done.output
    async with Earwitness.open(source) as one, Earwitness.open(settings=to) as other:
        assert await contents(other) == await contents(one)


async def test_a_target_with_other_stories_is_refused_and_left_alone(source: str, tmp_path: Path, run: Run) -> None:
    for id, said in (("another", "Hello."), ("s1", "Other words.")):
        to = str(tmp_path / f"{id}.db")
        async with Earwitness.open(to) as ew:
            story = await ew.session(id, cast=CAST, present=CAST)
            await (await story.say("alice", said, key="m0")).settled()
            before = await contents(ew)
        done = await run("migrate", source, to)
        assert done.exit_code != 0
        assert "Move into an empty target" in done.output
        assert id in done.output
        async with Earwitness.open(to) as ew:
            assert await contents(ew) == before


async def test_a_container_with_other_memories_is_refused(source: str) -> None:
    store = MemoryStore()
    await store.put([memory("s1-alice", "m", "a stranger's memory")])
    async with Earwitness.open(source) as ew:
        with pytest.raises(InputError, match="container 's1-alice' holds other memories"):
            await moved(Backends(ew.engine.ledger, ew.engine.store), Backends(MemoryLedger(), store))


class Forgetful(MemoryStore):
    """Loses a memory of each batch."""

    async def put(self, memories: Sequence[Any]) -> None:
        await super().put(memories[1:])


async def test_a_target_that_loses_something_is_found_out(source: str) -> None:
    async with Earwitness.open(source) as ew:
        with pytest.raises(StorageError, match=r"container .* was not moved exactly: \d+ memories"):
            await moved(Backends(ew.engine.ledger, ew.engine.store), Backends(MemoryLedger(), Forgetful()))


async def test_the_same_place_and_one_that_is_not_there_are_refused(source: str, tmp_path: Path, run: Run) -> None:
    assert "Nothing has to move" in (await run("migrate", source, source)).output
    assert "there is no store" in (await run("migrate", str(tmp_path / "nothing.db"), source)).output
    assert not (tmp_path / "nothing.db").exists()
    (tmp_path / "empty.db").touch()
    refused = await run("migrate", str(tmp_path / "empty.db"), str(tmp_path / "new.db"))
    assert "is an empty file" in refused.output
    assert (tmp_path / "empty.db").read_bytes() == b""
    assert not (tmp_path / "new.db").exists()


@given(draws)
@settings(max_examples=share_of(12), deadline=None)
async def test_any_story_can_be_moved(drawn: list[Draw]) -> None:
    """Random calls, with branches of branches; the move itself compares everything."""
    bare = Settings.of(plugins=[], embedder="none", detector="none", world_agent="none", strict=True)
    made: dict[str, Any] = {"settings": bare, "detector": ByScript(), "world_agent": Crier()}
    async with Earwitness.open(":memory:", **made) as ew:
        for call in Script(drawn).calls:
            await call.on(ew, "")
        for id in await ew.sessions():
            await (await ew.open_session(id)).delivered()
        done = await moved(Backends(ew.engine.ledger, ew.engine.store), Backends(MemoryLedger(), MemoryStore()))
        assert {each.session for each in done.sessions} == {*await ew.sessions()}
