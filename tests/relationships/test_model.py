"""The model that rule, guard, reads and extensions of one instance share."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from earwitness import Settings, State
from earwitness.errors import EarwitnessError
from earwitness.loading.resources import Resources
from earwitness.loading.strategies import Strategies
from earwitness_relationships.graph.records import Fact, Relation
from earwitness_relationships.model import RelationshipsModel

RULES = """
slug: friends
members: [charlie, vaggie]
propagation_rules: {share_direct_interactions: true}
"""


def model(folder: Path, **table: object) -> RelationshipsModel:
    settings = Settings.of(path=str(folder / "story.db"), relationships=table)
    return RelationshipsModel.shared(settings, Resources(), Strategies(), str(folder / "story.db"))


def knows(source: str, target: str) -> Fact:
    return Fact(relation=Relation(source=source, target=target, type="KNOWS"))


async def test_a_story_has_the_graph_of_all_stories_and_its_own_facts(tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text(RULES, "utf-8")
    shared = model(tmp_path, rules=str(tmp_path / "rules.yaml"))
    await shared.open()
    await shared.graph.upsert_facts([knows("charlie", "vaggie")])
    own = knows("vaggie", "alastor").model_dump(mode="json", exclude_defaults=True)
    story = await shared.picture("s1", State(facts={"r1": {"relationships": (own,)}}))
    other = await shared.picture("s2", State())
    assert [each.target for each in story.graph.relations_of("vaggie")] == ["alastor"]
    assert [each.target for each in story.graph.relations_of("charlie")] == ["vaggie"]
    assert other.graph.relations_of("vaggie") == ()
    assert [each.slug for each in story.book.pantheons] == ["friends"]
    assert story.version != other.version
    await shared.close()


async def test_a_story_sees_what_the_graph_learns_meanwhile(tmp_path: Path) -> None:
    shared = model(tmp_path)
    await shared.open()
    before = await shared.picture("s1", State())
    await shared.graph.upsert_facts([knows("charlie", "vaggie")])
    after = await shared.picture("s1", State())
    assert (before.version, len(after.graph.relations_of("charlie"))) != (after.version, 0)
    assert await shared.picture("s1", State()) is after
    await shared.close()


async def test_one_more_fact_of_a_story_costs_one_fact(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shared = model(tmp_path)
    await shared.open()
    own = [knows("charlie", f"n{n}").model_dump(mode="json", exclude_defaults=True) for n in range(20)]
    read: list[object] = []
    validate = Fact.model_validate

    def counted(given: object) -> Fact:
        read.append(given)
        return validate(given)

    monkeypatch.setattr(Fact, "model_validate", counted)
    for n in range(21):
        noted = {f"r{each}": {"relationships": (own[each],)} for each in range(n)}
        picture = await shared.picture("s1", State(facts=noted))
        assert len(picture.graph.edges("charlie")) == len(picture.facts) == n
    assert len(read) == 20

    taken_back = {"r3": {"relationships": (own[3],)}}
    picture = await shared.picture("s1", State(facts=taken_back))
    assert [edge.target for edge in picture.graph.edges("charlie")] == ["n3"]
    await shared.close()


def test_strategies_of_one_instance_share_it(tmp_path: Path) -> None:
    settings = Settings.of(path=str(tmp_path / "story.db"), relationships={})
    resources, path = Resources(), str(tmp_path / "story.db")
    one = RelationshipsModel.shared(settings, resources, Strategies(), path)
    assert one is RelationshipsModel.shared(settings, resources, Strategies(), path)


def test_a_rule_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(EarwitnessError, match=r"missing\.yaml"):
        model(tmp_path, rules=str(tmp_path / "missing.yaml"))


def test_the_rule_file_lies_beside_the_settings(tmp_path: Path) -> None:
    (tmp_path / "friends.yaml").write_text(RULES, "utf-8")
    file = tmp_path / "earwitness.toml"
    file.write_text('path = "story.db"\n[relationships]\nrules = "friends.yaml"\n', "utf-8")
    found = RelationshipsModel.shared(Settings.load(file), Resources(), Strategies(), str(tmp_path / "story.db"))
    assert [each.slug for each in found.file.pantheons] == ["friends"]


async def test_what_is_written_during_a_look_at_the_graph_is_seen_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = model(tmp_path)
    await shared.open()
    monkeypatch.setattr(shared, "_poll", 600.0)
    looked, goes_on = anyio.Event(), anyio.Event()
    version = shared.graph.version

    async def slow_version() -> int:
        found = await version()
        looked.set()
        await goes_on.wait()
        return found

    monkeypatch.setattr(shared.graph, "version", slow_version)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(shared.view)
        await looked.wait()
        await shared.write([knows("charlie", "vaggie")])
        goes_on.set()
    seen = await shared.view()
    assert [edge.target for edge in seen.edges("charlie")] == ["vaggie"]
    await shared.close()
