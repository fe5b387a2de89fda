"""What the embedded ledger keeps, how, and what it answers when it cannot."""

from hashlib import sha256
from typing import Any

import apsw
import pytest

from earwitness.containers import Container, Membership, character_container, world_container
from earwitness.errors import InputError, UnknownName
from earwitness.loading.resources import Resources
from earwitness.records.journal import Said
from earwitness.records.message import Message, Participant, SettledMessage
from earwitness.records.plan import PluginWrite, Withdrawal
from earwitness.records.snapshot import Snapshot
from earwitness.records.update import Knowledge
from earwitness_plugins.ledgers.sqlite import SqliteLedger
from earwitness_plugins.ledgers.sqlite.schema import MIGRATIONS
from earwitness_plugins.sqlite import Database

NOON = "2026-11-21T12:00:00+00:00"
BOARD = Container(name="s1-board", kind="notice_board", owner="tavern", session="s1")
FIRST = Snapshot(id="s1")


async def test_a_plan_keeps_equal_words_once(ledger: Any, path: Any, delivery: Any, plan: Any) -> None:
    words = "".join(sha256(str(number).encode()).hexdigest() for number in range(300))
    listeners = [delivery(f"c{number}", body=words) for number in range(12)]
    whole = plan(1, *listeners, delivery("world", body=f"other {words}"))
    await ledger.create(FIRST, [])
    await ledger.record(whole, FIRST.after(whole))
    assert await ledger.plan("s1", 1) == whole
    assert [found.body for found in await ledger.deliveries("s1")] == [*[words] * 12, f"other {words}"]
    assert (await ledger.health()).details["bytes"] < 2 * len(words) + 180_000  # a page for each table and index


async def test_a_plan_that_repeats_itself_is_shown_whole(ledger: Any, delivery: Any, plan: Any) -> None:
    await ledger.create(FIRST, [])
    once, again = delivery("bob"), delivery("bob", body="other words")
    repeating = plan(1, once, delivery("alice"), again)
    await ledger.record(repeating, FIRST.after(repeating))
    assert await ledger.plan("s1", 1) == repeating
    assert list(await ledger.deliveries("s1")) == [once, delivery("alice")]


async def test_a_plan_is_shown_as_it_was_decided_whatever_came_of_it(ledger: Any, delivery: Any, plan: Any) -> None:
    await ledger.create(FIRST, [])
    first = plan(1, delivery("alice"), delivery("bob"))
    await ledger.record(first, FIRST.after(first))
    await ledger.acknowledge("s1", [1], [delivery("alice").id])
    falls = {each.id: each.memory_id for each in first.deliveries}
    taking_back = plan(2, withdrawals=(Withdrawal(source="#1", reason="edited", removes=falls),))
    await ledger.record(taking_back, FIRST.after(taking_back))
    assert await ledger.plan("s1", 1) == first
    assert list(await ledger.plans("s1")) == [first, taking_back]
    assert {found.status for found in await ledger.deliveries("s1")} == {"withdrawn"}


async def test_forgetting_a_session_leaves_no_row_of_it(ledger: Any, path: Any, delivery: Any, plan: Any) -> None:
    await _full(ledger, delivery, plan)
    empty = {name for name, count in (await _rows(path)).items() if not count}
    assert empty == {
        "ledger_layers",  # for branches
        "ledger_differences",
        "ledger_claims",  # while a job is done
        "ledger_crowds",  # while thousands of copies are applied
        "ledger_crowd_members",
    }
    await ledger.forget("s1")
    assert set((await _rows(path)).values()) == {0}


async def test_forgetting_an_owner_leaves_none_of_the_words(ledger: Any, path: Any, delivery: Any, plan: Any) -> None:
    await ledger.create(FIRST, [character_container("s1", "bob")])
    known = (Knowledge(text="news", cites=("w",)),)
    hers, his = delivery("alice"), delivery("bob", body="For Bob's ears only.", knowledge=known, rests_on=("m",))
    both = plan(1, hers, his, his)
    await ledger.record(both, FIRST.after(both))
    await ledger.acknowledge("s1", [1], [hers.id, his.id])
    await ledger.forget_owner("s1", "bob")
    assert (await ledger.plan("s1", 1)).deliveries == (hers,)
    assert list(await ledger.citing("s1", ["w"])) == list(await ledger.deliveries("s1", rests_on=["m"])) == []
    rows = await _rows(path)
    assert rows["ledger_grounds"] == 0
    assert (rows["ledger_shared"], rows["ledger_deliveries"], rows["ledger_repeats"]) == (2, 1, 0)


async def test_what_was_due_to_a_forgotten_owner_says_why_it_never_came(ledger: Any, delivery: Any, plan: Any) -> None:
    await ledger.create(FIRST, [])
    later = plan(1, delivery("bob", due=9))
    await ledger.record(later, FIRST.after(later))
    await ledger.forget_owner("s1", "bob")
    (left,) = await ledger.deliveries("s1")
    assert (left.status, left.reason) == ("struck", "forgotten")
    await ledger.acknowledge("s1", [1], [left.id])
    assert (await ledger.deliveries("s1"))[0].status == "struck"


async def test_an_unknown_session_is_named_with_those_there_are(ledger: Any, said: Said, plan: Any) -> None:
    await ledger.create(Snapshot(id="tavern"), [])
    for late in (
        ledger.append("tavren", said, timestamp=NOON),
        ledger.record(plan(1, session="tavren"), Snapshot(id="tavren")),
        ledger.write_data("tavren", "diary", {"k": 1}),
    ):
        with pytest.raises(UnknownName, match=r"unknown session 'tavren'\. Known: tavern\. Did you mean 'tavern'\?"):
            await late


async def test_the_list_of_known_sessions_is_cut_where_it_would_fill_the_screen(ledger: Any, said: Said) -> None:
    for number in range(60):
        await ledger.create(Snapshot(id=f"s{number:02}"), [])
    with pytest.raises(UnknownName, match=r"s00, .*s49, …\."):
        await ledger.append("nobody", said, timestamp=NOON)


async def test_half_a_character_is_refused_in_words(ledger: Any, plan: Any) -> None:
    await ledger.create(FIRST, [])
    broken = Said(speaker="alice", content="half a \ud83d face")
    with pytest.raises(InputError, match=r"this Said cannot be kept.*surrogates not allowed"):
        await ledger.append("s1", broken, timestamp=NOON)
    assert list(await ledger.entries("s1")) == []


async def test_a_plan_with_half_a_character_is_refused_before_it_is_written(
    ledger: Any, delivery: Any, plan: Any
) -> None:
    await ledger.create(FIRST, [])
    broken = plan(1, delivery("alice", body="half a \ud83d face"))
    with pytest.raises(InputError, match="the text of a delivery cannot be kept"):
        await ledger.record(broken, FIRST.after(broken))
    assert await ledger.plan("s1", 1) is None


async def test_what_a_plugin_cannot_keep_is_named(ledger: Any) -> None:
    await ledger.create(FIRST, [])
    with pytest.raises(InputError, match="what plugin 'diary' keeps under 'k' cannot be kept"):
        await ledger.write_data("s1", "diary", {"j": 1, "k": object()})
    assert await ledger.data("s1", "diary") == {}


async def test_no_sequence_number_leads_into_another_session(ledger: Any, said: Said) -> None:
    for name in ("s1", "s2", "s3"):
        await ledger.create(Snapshot(id=name), [])
        await ledger.append(name, said, timestamp=NOON)
    for sequence in (0, -1, 2, -(2**32) + 1, 2**32 + 1, 2**33 + 1):
        assert await ledger.entry("s2", sequence=sequence) is None
        assert await ledger.plan("s2", sequence) is None
        await ledger.acknowledge("s2", [sequence], [])
    assert [entry.session for entry in await ledger.entries("s2", after=-(2**33), up_to=2**33)] == ["s2"]
    for name in ("s1", "s2", "s3"):
        assert not (await ledger.entry(name, sequence=1)).applied


async def test_an_unknown_status_is_named_with_those_there_are(ledger: Any) -> None:
    await ledger.create(FIRST, [])
    with pytest.raises(
        UnknownName, match=r"unknown delivery status 'aplied'.*applied, archived, pending, struck, withdrawn"
    ):
        await ledger.deliveries("s1", status="aplied")


@pytest.mark.parametrize(
    "odd", ["a'b", 'a"b', "a; DROP TABLE ledger_entries; --", "../a", "a%_*?", "空", "a\nb", "null"]
)
async def test_names_are_data_wherever_they_stand(odd: str, ledger: Any, said: Said, delivery: Any, plan: Any) -> None:
    await ledger.create(Snapshot(id=odd), [character_container(odd, odd)])
    assert (await ledger.append(odd, said, key=odd, timestamp=NOON)).entry.key == odd
    made = delivery(odd, session=odd, memory_id=odd, source=odd, metadata={"type": odd, odd: odd})
    writes = (PluginWrite(plugin=odd, key=odd, value=odd),)
    whole = plan(1, made, session=odd, message=_settled(odd), plugin_data=writes)
    await ledger.record(whole, Snapshot(id=odd).after(whole))
    assert await ledger.plan(odd, 1) == whole
    asked = {"memory_ids": [odd], "sources": [odd], "container": made.container, "types": [odd]}
    assert list(await ledger.deliveries(odd, **asked)) == [made]
    assert [found.message.key for found in await ledger.messages(odd, keys=[odd])] == [odd]
    assert await ledger.data(odd, odd) == {odd: odd}
    assert await ledger.sessions() == [odd]


async def test_health_counts_what_waits(ledger: Any, said: Said, delivery: Any, plan: Any) -> None:
    await ledger.create(FIRST, [])
    for _ in range(3):
        await ledger.append("s1", said, timestamp=NOON)
    whole = plan(1, delivery("alice"), delivery("bob"))
    await ledger.record(whole, FIRST.after(whole))
    await ledger.acknowledge("s1", [1], [delivery("alice").id])
    health = await ledger.health()
    assert health.ok
    counted = {"sessions": 1, "entries": 3, "unsettled_entries": 2, "pending_deliveries": 1}
    versions = {"integrity": "ok", "schema_version": len(MIGRATIONS), "sqlite_version": apsw.sqlite_lib_version()}
    assert {**counted, **versions}.items() <= health.details.items()


async def test_the_file_is_shared_with_whatever_keeps_its_memories_there(path: Any, said: Said) -> None:
    resources = Resources()
    ledger, store = SqliteLedger(path=str(path), resources=resources), Database.at(str(path), resources)
    await ledger.open()
    await store.open("store", ["CREATE TABLE memories (id TEXT)"])
    await ledger.create(FIRST, [])
    await ledger.close()
    assert await store.read(lambda c: c.execute("SELECT id FROM ledger_sessions").get) == "s1"
    await store.close()


async def test_everything_a_turn_asks_is_answered_from_an_index(
    ledger_at: Any, path: Any, said: Said, delivery: Any, plan: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[str, Any] = {}
    monkeypatch.setattr(apsw, "connection_hooks", [lambda connection: connection.set_exec_trace(_noting(asked))])
    ledger = ledger_at(path)
    await ledger.open()
    asked.clear()
    await _full(ledger, delivery, plan)
    await _ask_everything(ledger, said)
    await ledger.close()
    monkeypatch.undo()
    with apsw.Connection(str(path)) as connection:
        for statement, bindings in asked.items():
            for *_, step in connection.execute(f"EXPLAIN QUERY PLAN {statement}", bindings):
                assert not step.startswith("SCAN") or "VIRTUAL TABLE" in step, f"{step}: {statement}"
    connection.close()
    assert len(asked) > 25


def _noting(asked: dict[str, Any]) -> Any:
    def note(cursor: Any, statement: str, bindings: Any) -> bool:
        if "ledger_" in statement and not statement.lstrip().startswith(("--", "CREATE")):
            asked[statement] = bindings
        return True

    return note


async def _ask_everything(ledger: Any, said: Said) -> None:
    await ledger.append("s1", said, key="k2", timestamp=NOON)
    await ledger.append("s1", said, timestamp=NOON)
    await ledger.load("s1")
    await ledger.containers("s1")
    await ledger.register([character_container("s1", "zoe")])
    await ledger.containers(None, kind="pantheon", owner="olympus")
    await ledger.claimed(["pantheon-olympus", "s1-zoe"])
    await ledger.memberships(containers=["pantheon-olympus"], member="zoe")
    await ledger.memberships(member="zoe", kind="pantheon")
    await ledger.dismiss([Membership(container="pantheon-olympus", member="zoe")])
    await ledger.entry("s1", sequence=1)
    await ledger.entry("s1", key="k1")
    await ledger.entries("s1", after=1)
    await ledger.entries("s1", unapplied=True, limit=64)
    await ledger.plan("s1", 1)
    await ledger.plans("s1", up_to=2)
    await ledger.acknowledge("s1", [1], ["nobody"])
    await ledger.citing("s1", ["w"])
    await ledger.messages("s1", before=9, limit=24)
    await ledger.messages("s1", keys=["k1"])
    await ledger.data("s1", "diary")
    await ledger.write_data("s1", "diary", {"k": None, "l": 2})
    container = "s1-world"
    for conditions in (
        {"status": "pending", "due_by": 5},
        {"status": "pending", "container": container},
        {"memory_ids": ["m", "n"]},
        {"memory_ids": ["m"], "container": container, "status": "applied"},
        {"sources": ["#1"]},
        {"via": ["m"]},
        {"container": container, "types": ["lore"], "after": 3},
        {"container": container, "types": ["message"], "after": 3},
        {"container": container, "after": 3},
    ):
        await ledger.deliveries("s1", **conditions)


async def _full(ledger: Any, delivery: Any, plan: Any) -> None:
    """A session with something in every table."""
    await ledger.create(FIRST, [character_container("s1", "alice"), world_container("s1"), BOARD])
    await ledger.admit([Membership(container=BOARD.name, member="alice")])
    await ledger.append("s1", Said(speaker="alice", content="Hello."), key="k1", timestamp=NOON)
    made = delivery("alice", knowledge=(Knowledge(text="news", cites=("w",)),), rests_on=("m",))
    writes = (PluginWrite(plugin="diary", key="k", value=1),)
    taken = (Withdrawal(source="x", reason="edited"), Withdrawal(memory_id="x", reason="edited", removes={"d": "x"}))
    whole = plan(
        1, made, made, message=_settled("k1"), plugin_data=writes, withdrawals=taken, facts={"k1": {"p": (1,)}}
    )
    await ledger.record(whole, FIRST.after(whole))


def _settled(key: str) -> SettledMessage:
    message = Message(
        key=key, sequence=1, speaker="alice", content="Hello.", game_day=1, scene="tavern", timestamp=NOON
    )
    return SettledMessage(message=message, participants={"alice": Participant(role="speaker", confidence=1)})


async def _rows(path: Any) -> dict[str, int]:
    """Rows by table of the ledger."""
    connection = apsw.Connection(str(path))
    names = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    found = {name: connection.execute(f"SELECT count(*) FROM {name}").get for name in names if "ledger_" in name}
    connection.close()
    return found


async def test_what_another_story_under_the_same_id_says_is_read_and_not_remembered(
    ledger: Any, path: Any, ledger_at: Any
) -> None:
    """A ledger keeps the body it appended last at hand; another process may forget the story and begin it anew."""
    hello, other = Said(speaker="alice", content="Hello."), Said(speaker="bob", content="Who was here?")
    await ledger.create(FIRST, [])
    await ledger.append("s1", hello, timestamp=NOON)
    assert [each.body for each in await ledger.entries("s1", limit=2)] == [hello]
    elsewhere = ledger_at(path)
    await elsewhere.open()
    await elsewhere.forget("s1")
    await elsewhere.create(FIRST, [])
    await elsewhere.append("s1", other, timestamp=NOON)
    await elsewhere.close()
    assert [each.body for each in await ledger.entries("s1", limit=2)] == [other]
