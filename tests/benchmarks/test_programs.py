"""Each program of benchmarks/ runs at a small size and prints JSON that says what it found."""

import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from earwitness_plugins.testing.tiny_model import TinyModel

ROOT = Path(__file__).parents[2]
OURS = "earwitness"


def run(program: str, *arguments: object) -> dict[str, Any]:
    command = [sys.executable, str(ROOT / "benchmarks" / f"{program}.py"), *map(str, arguments), "--json"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["program"] == program
    return found


TURNS = [
    {"speaker": "Ann", "dia_id": "D1:1", "text": "I bought a boat last week.", "blip_caption": "a photo of a red boat"},
    {"speaker": "Ben", "dia_id": "D1:2", "text": "How lovely! I only have a bicycle."},
    {"speaker": "Ann", "dia_id": "D1:3", "text": "My sister bakes bread on Sundays."},
]
QUESTIONS = [
    {"question": "Who bakes bread?", "answer": "her sister", "evidence": ["D1:3"], "category": 4},
    {"question": "What colour is the boat?", "answer": "red", "evidence": ["D1:1; D1:2"], "category": 1},
    {"question": "What is the cat called?", "answer": "nobody knows", "evidence": [], "category": 5},
]
SESSION = {"session_1_date_time": "1:00 pm on 3 May, 2023", "session_1": TURNS}


def as_realtalk(turn: dict[str, str]) -> dict[str, Any]:
    renamed = {"clean_text": turn["text"], "speaker": turn["speaker"].lower(), "date_time": "03.05.2023, 13:00:00"}
    return {**renamed, "dia_id": turn["dia_id"], "img_file": []}


@pytest.fixture
def locomo(tmp_path: Path) -> Path:
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps({"conversation": SESSION, "qa": QUESTIONS}))
    return path


def test_recall_scores_all_questions_with_evidence_and_each_category(locomo: Path) -> None:
    found = run("recall", locomo)
    assert found["questions"] == 2
    assert found["recall@5"] == found["recall@10"] == 1
    assert 0 < found["mrr"] <= 1
    assert found["by_category"].keys() == {"1", "4"}
    assert found["baseline"]["recall@10"] <= 1
    assert found["difference"]["recall@10"].keys() == {"mean", "low", "high"}


def test_tokens_sets_what_is_saved_beside_the_evidence_that_stays(tmp_path: Path) -> None:
    said = [
        {"speaker": "Ann", "dia_id": f"D1:{number}", "text": f"I have polished lantern number {number} again."}
        for number in range(4, 44)
    ]
    session = {**SESSION, "session_1": [*TURNS, *said]}
    path = tmp_path / "long.json"
    path.write_text(json.dumps({"conversation": session, "qa": QUESTIONS}))
    other = tmp_path / "other.json"
    other.write_bytes(path.read_bytes())
    results = run("tokens", path, other)
    assert results["chosen"]["mixes"].keys() == {"long", "other"}
    found = results["by_history"]
    assert found.keys() == {"20 messages", "session", "everything"}
    for mixes in found.values():
        asked = mixes["last 5 + 5 + 3"]
        assert asked["questions"] == 4
        assert asked["evidence"] == 1 > asked["by_last"]
        assert 0 < asked["saved"] < mixes["last 2 + 3 + 1"]["saved"] < 1
        assert asked["saved"] == pytest.approx(1 - asked["short"] / asked["full"])


def test_consolidation_says_how_much_of_the_evidence_is_found_with_each_policy(tmp_path: Path) -> None:
    said = [
        {
            "speaker": "Ann",
            "dia_id": f"D1:{number}",
            "text": f"Wow! I have polished lantern {number}. That was nice of you!",
        }
        for number in range(4, 30)
    ]
    path, other = tmp_path / "one.json", tmp_path / "other.json"
    path.write_text(json.dumps({"conversation": {**SESSION, "session_1": [*TURNS, *said]}, "qa": QUESTIONS}))
    other.write_bytes(path.read_bytes())
    results = run("consolidation", path, other, "--policy", "none", "--policy", "by hand")
    found = results["policies"]
    before, by_hand = found["none"], found["by hand"]
    assert before["evidence"] == before["answers"] == 1
    assert 0 < by_hand["evidence"] <= 1
    assert by_hand["memories"] < before["memories"] == 29
    assert by_hand["characters"] < before["characters"]
    assert 0 < found["a chat assistant, its service away"]["evidence"] < 1
    assert results["chosen"].keys() == {"one", "other"}


def test_recall_reads_conversations_at_the_top_level_too(tmp_path: Path) -> None:
    path = tmp_path / "realtalk.json"
    path.write_text(json.dumps({**SESSION, "session_1": list(map(as_realtalk, TURNS)), "qa": QUESTIONS}))
    assert run("recall", path)["recall@10"] == 1


def test_recall_speed_measures_us_and_the_limit() -> None:
    sizes = ("--sizes", "60,120", "--store", 200, "--rounds", 2, "--questions", 3)
    found = run("recall_speed", *sizes, "--only", OURS, "--only", "the limit")
    for size in ("60", "120"):
        assert found["containers"][size].keys() == {OURS, "the limit"}
        assert found["containers"][size][OURS]["cpu_ms"] > 0


def test_a_store_is_measured_beside_its_peer_and_what_it_adds_is_said() -> None:
    found = run("stores", "--small", "--only", "sqlite", "--only", "fallback")
    assert {"sqlite", "the limit", "fallback", "sqlite twice"} == found["turn"].keys() == found["recall"].keys()
    assert found["recall"]["fallback"]["times_peer"] > 0
    assert {target["what"].partition(":")[0] for target in found["targets"]} == {"turn", "recall"}
    for step in ("turn", "recall"):
        added = found["added"][step]["fallback over sqlite twice"]
        ours, peer = found[step]["fallback"], found[step]["sqlite twice"]
        assert added["added_cpu_ms"] == pytest.approx(ours["cpu_ms"] - peer["cpu_ms"])
        assert added["cpu_holds"] == (added["added_cpu_ms"] <= max(2, 0.2 * peer["cpu_ms"]))
    assert found["sizes"]["asked"] == 200


def test_every_peer_is_measured_or_skipped_with_a_reason() -> None:
    found = run("end_speed", "--store", 100, "--rounds", 1, "--turns", 2)
    there = found["turn"].keys() | found["skipped"].keys()
    assert {OURS, "the limit", "qdrant-edge", "mem0", "langgraph sqlite", "sqlite-vec + FTS5"} <= there
    assert all(found["skipped"].values())
    assert found["turn"]["earwitness, the whole of END"]["wall_ms"] > 0


def test_the_reason_names_the_package_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    contenders = importlib.import_module("kit.contenders")
    entry = contenders.Entry("a peer", "peer:Peer", ("json", "no_such_package", "no_such_package.inner"))
    assert contenders.missing(entry) == (
        "no_such_package, no_such_package.inner not installed (pip install 'earwitness[bench]')"
    )
    assert contenders.missing(entry._replace(packages=("json",))) is None


def test_growth_asks_the_same_container_at_every_size() -> None:
    found = run("growth", "--sizes", "100,300", "--asked", 50, "--rounds", 1, "--questions", 3)
    assert [row["memories"] for row in found["growth"] if row["name"] == OURS] == [100, 300]


def test_a_message_that_many_hear_is_measured_at_every_size() -> None:
    found = run("listeners", "--sizes", "5,40", "--turns", 2)
    assert [row["listeners"] for row in found["listeners"]] == [5, 40]
    assert all(row["seconds"] > 0 and row["store_more_mb"] >= 0 for row in found["listeners"])


def test_what_a_branch_costs_is_measured_at_every_point() -> None:
    found = run("branches", "--messages", 30, "--recalls", 2)
    names = [row["branch"] for row in found["branches"]]
    assert names == ["at message 15", "at message 24", "at message 30", "a branch of a branch", "before a retraction"]
    assert all(row["seconds"] > 0 and row["recall_ms"] > 0 for row in found["branches"])
    assert len(found["targets"]) == 3 * len(names)


def test_the_longest_hold_of_the_loop_is_measured_for_every_operation() -> None:
    found = run("long_texts", "--size", 2_000, "--only", "prose", "--only", "ligatures")
    assert found["texts"].keys() == {"prose", "ligatures"}
    for operations in found["texts"].values():
        assert {"turn(query=)", "say, settled", "who_knows of it"} <= operations.keys()
        assert all(each["held_ms"] > 0 for each in operations.values())
    assert [each["wanted"] for each in found["targets"]] == ["≤ 50"]


def test_every_detector_is_timed_on_every_scene(tmp_path: Path) -> None:
    said = [
        {"kind": "speech", "speaker": "Ann", "text": "Hello, Ben."},
        {"kind": "narration", "speaker": None, "text": "Ben leaves."},
    ]
    scene = {"dataset": "d", "scene": "1", "roster": ["Ann", "Ben"], "messages": said}
    (tmp_path / "evening.jsonl").write_text(f"{json.dumps(scene)}\n", "utf-8")
    found = run("detectors", tmp_path / "evening.jsonl", "--casts", "3", "--messages", 12, "--rounds", 1)
    assert [row["scenes"] for row in found["detectors"]] == ["cast of 3", "evening"]
    assert all(row["rules"] > 0 and row["vote"] > 0 for row in found["detectors"])


def test_replay_runs_twice_and_compares_both_ends_of_a_session() -> None:
    found = run("replay", "--turns", 24, "--window", 8)
    assert found["turns"] == 24
    assert found["second_run_new"] == 0
    assert {row["part"] for row in found["live"]} == {"recall", "end"}
    assert found["turns_a_cpu_second"] > 0


def test_a_profile_says_where_the_time_goes() -> None:
    found = run("end_speed", "--profile", "--rounds", 1, "--turns", 3)
    assert len(found["profile"]) > 5


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_a_picture_is_saved(locomo: Path, tmp_path: Path, ending: str) -> None:
    pytest.importorskip("matplotlib", reason="pictures need the extra `bench`")
    run("recall", locomo, "--plot", tmp_path / f"picture.{ending}")
    assert (tmp_path / f"picture.{ending}").stat().st_size > 1000


def test_what_cannot_be_read_is_one_line_of_error(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text("[]")
    command = [sys.executable, str(ROOT / "benchmarks" / "recall.py"), str(path)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "other.json" in done.stderr
    assert "Traceback" not in done.stderr


def test_propagation_walks_communities_and_compares_with_networkx() -> None:
    found = run("propagation", "--nodes", 2_000, "--messages", 50, "--baseline", 1)
    assert found["rules"].keys() == {"bare", "every", "full"}
    assert found["rules"]["every"]["recipients"] > found["rules"]["bare"]["recipients"] > 1
    assert found["faster"] > 1


def test_a_story_on_a_service_that_fails_loses_nothing_and_writes_nothing_twice() -> None:
    found = run("faults", "--turns", 12, "--failing", 0.15, "--lag", 0.2)
    assert found["wrong"] == []
    assert found["memories"] > 30
    assert sum(found["accidents"].values()) > 0
    assert found["recalls"] >= 12


def test_chats_through_the_proxy_neither_lose_nor_double_a_line() -> None:
    found = run("proxy", "--chats", 8, "--turns", 4)
    assert found["lines"] == 8 * (1 + 2 * 4)
    assert (found["lost"], found["twice"], found["out_of_order"], found["uncounted"]) == (0, 0, 0, 0)
    assert found["requests"] > found["turns"]
    assert found["happened"].keys() > {"plain", "model dies", "client goes away", "asked again"}


def test_a_story_holds_with_a_real_tiny_model() -> None:
    """Ten turns, with the real client on a socket: each answer is valid, repaired or replaced, and reported so."""
    if why := TinyModel.missing():
        pytest.skip(why)
    found = run("tiny_model", "--turns", 10, "--tokens", 12)
    assert found["unreported"] == 0
    assert found["valid"] + found["repaired"] + found["replaced"] == found["messages"] == found["calls"] == 10


def test_edits_are_measured_in_stories_of_each_size() -> None:
    found = run("edits", "--sizes", "120,140", "--rounds", 1)
    assert [(row["days"], row["messages"]) for row in found["edits"]] == [
        ("short", 120),
        ("short", 140),
        ("long", 120),
        ("long", 140),
    ]
    assert all(row["first_ms"] > 0 < row["again_ms"] for row in found["edits"])
