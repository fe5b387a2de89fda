"""What a model would write waits until a person approves it; it is written once, and falls with what it rests on."""

from pathlib import Path
from typing import Any

import pytest

from earwitness import Derivation, Earwitness, Memory, Session, Settings
from earwitness.containers import persona_container
from earwitness.errors import InputError, NotPermitted, PluginError, UnknownName
from earwitness_plugins.review import Proposal, Reviewed, handlers, index
from earwitness_plugins.review.notes import decided, proposed

LIVES = "Alice lives in Rome."


def proposal(text: str = LIVES, owner: str = "bob", **given: Any) -> Proposal:
    memory = Derivation(content=text, owner=owner, rule="a model")
    fields = {"kind": "fact", "text": text, "about": (owner,), "rests_on": ("m1",), "memories": (memory,), "by": "test"}
    return Proposal(**{**fields, **given})


def opened(path: Path) -> Earwitness:
    return Earwitness.open(path, settings=Settings.of(embedder="none", world_agent="none", strict=True))


async def begun(ew: Earwitness) -> Session:
    story = await ew.session("s1", cast=["alice", "bob", "charlie"], state={"game_day": 3})
    await (await story.say("alice", "I moved to Rome.", key="m1", audience=["bob"])).settled()
    return story


async def facts(story: Session, owner: str) -> list[Memory]:
    await story.delivered()
    return [each for each in (await story.backstage().inspect(owner)).memories if each.type == "fact"]


async def test_nothing_is_written_before_it_is_approved_and_then_once(tmp_path: Path) -> None:
    async with opened(tmp_path / "s.db") as ew:
        story = await begun(ew)
        waiting = await story.review.submit(proposal())
        assert [each.id for each in await story.review.waiting()] == [waiting.id]
        assert await facts(story, "bob") == []
        done = await story.review.approve(waiting.id)
        assert await story.review.approve(waiting.id) == done
        (fact,) = await facts(story, "bob")
        assert fact.content == LIVES
        assert (done.status, done.decided_by) == ("approved", "author")
        assert await story.review.waiting() == ()
        assert await facts(story, "charlie") == await facts(story, "world") == []


async def test_it_waits_over_a_restart_and_shows_day_and_grounds(tmp_path: Path) -> None:
    async with opened(tmp_path / "s.db") as ew:
        await (await begun(ew)).review.submit(proposal())
    async with opened(tmp_path / "s.db") as ew:
        story = await ew.open_session("s1")
        (found,) = await story.review.waiting(kind="fact", about="Bob")
        assert (found.day, found.proposal.text, found.status) == (3, LIVES, "waiting")
        assert await story.review.waiting(kind="other") == await story.review.waiting(about="alice") == ()
        await story.review.approve(found.id[:5])
        assert len(await facts(story, "bob")) == 1


async def test_what_was_rejected_is_not_proposed_again_and_may_be_approved_after_all(tmp_path: Path) -> None:
    async with opened(tmp_path / "s.db") as ew:
        story = await begun(ew)
        found = await story.review.submit(proposal(identity=("bob", "home")))
        assert (await story.review.reject(found.id, "she is joking")).reason == "she is joking"
        again = await story.review.submit(proposal("Alice has a home in Rome.", identity=("bob", "home")), "auto")
        assert (again.id, again.status) == (found.id, "rejected")
        assert await facts(story, "bob") == []
        await story.review.approve(found.id)
        assert len(await facts(story, "bob")) == 1
        with pytest.raises(InputError, match="retract review-"):
            await story.review.reject(found.id)


async def test_auto_writes_at_once_and_off_nothing_at_all(tmp_path: Path) -> None:
    async with opened(tmp_path / "s.db") as ew:
        story = await begun(ew)
        assert await story.review.submit(proposal(), "off") is None
        assert await story.review.proposals() == ()
        done = await story.review.submit(proposal(), "auto")
        assert (done.status, done.decided_by) == ("approved", "auto")
        assert len(await facts(story, "bob")) == 1
        with pytest.raises(InputError, match="review, off, auto"):
            await story.review.submit(proposal(), "always")


@pytest.mark.parametrize("change", ["retract", "edit", "forget"])
async def test_a_proposal_falls_with_what_it_rests_on(tmp_path: Path, change: str) -> None:
    async with opened(tmp_path / "s.db") as ew:
        story = await begun(ew)
        found = await story.review.submit(proposal())
        match change:
            case "retract":
                await story.retract("m1")
            case "edit":
                await story.edit("m1", "I moved to Paris.")
            case _:
                await story.forget("bob")
        assert await story.review.waiting() == ()
        (fallen,) = await story.review.proposals(status="fallen")
        assert fallen.reason.endswith("forgotten" if change == "forget" else "retracted or edited")
        with pytest.raises(InputError, match="cannot be approved"):
            await story.review.approve(found.id)


async def test_what_was_approved_goes_with_its_message(tmp_path: Path) -> None:
    async with opened(tmp_path / "s.db") as ew:
        story = await begun(ew)
        await story.review.submit(proposal(), "auto")
        await story.retract("m1")
        assert await facts(story, "bob") == []


async def test_branches_and_imports_take_it_along_and_decide_for_themselves(tmp_path: Path) -> None:
    async with opened(tmp_path / "s.db") as ew:
        story = await begun(ew)
        memory = (await story.backstage().inspect("bob")).memories[0]
        found = await story.review.submit(proposal(rests_on=(memory.id,)))
        branch = await story.fork("s2")
        lines = [line async for line in story.backstage().export()]
        imported = await ew.import_session(lines, id="s3")
        for other in (branch, imported):
            (there,) = await other.review.waiting()
            assert there.id == found.id
            await other.review.approve(there.id)
            assert len(await facts(other, "bob")) == 1
        assert [each.status for each in await story.review.proposals()] == ["waiting"]
        assert await facts(story, "bob") == []
        await imported.retract("m1")
        assert await facts(imported, "bob") == []


async def test_it_is_approved_in_other_words(tmp_path: Path) -> None:
    async with opened(tmp_path / "s.db") as ew:
        story = await begun(ew)
        found = await story.review.submit(proposal())
        await story.review.approve(found.id, content="Alice has moved to Rome.")
        assert [each.content for each in await facts(story, "bob")] == ["Alice has moved to Rome."]


@pytest.mark.parametrize("first", [None, "Alice has moved to Rome."])
async def test_other_words_for_what_is_approved_already_are_refused(tmp_path: Path, first: str | None) -> None:
    async with opened(tmp_path / "s.db") as ew:
        story = await begun(ew)
        found = await story.review.submit(proposal())
        done = await story.review.approve(found.id, content=first)
        with pytest.raises(
            InputError, match=rf"approved before, in other words: 'Rome\.' is not written\..*{done.keys[0]}"
        ):
            await story.review.approve(found.id, content="Rome.")
        for again in (None, first or LIVES):
            assert (await story.review.approve(found.id, content=again)).status == "approved"
        assert [each.content for each in await facts(story, "bob")] == [first or LIVES]


async def test_it_archives_what_it_says(tmp_path: Path) -> None:
    async with opened(tmp_path / "s.db") as ew:
        story = await begun(ew)
        memory = (await story.backstage().inspect("bob")).memories[0]
        found = await story.review.submit(proposal(archives=(memory.id,)))
        await story.review.approve(found.id)
        await story.delivered()
        assert [each.content for each in (await story.backstage().inspect("bob")).memories] == [LIVES]


async def test_roles_are_those_of_backstage(tmp_path: Path) -> None:
    async with opened(tmp_path / "s.db") as ew:
        story = await begun(ew)
        found = await story.review.submit(proposal())
        player = story.review.acting(role="player")
        for call in (player.waiting(), player.get(found.id), player.approve(found.id), player.reject(found.id)):
            with pytest.raises(NotPermitted, match="role 'player' may not"):
                await call
        with pytest.raises(UnknownName, match="unknown role 'king'"):
            story.review.acting(role="king")
        done = await story.review.acting(role="designer").approve(found.id)
        assert done.decided_by == "designer"


async def test_bad_proposals_are_refused_with_a_reason(tmp_path: Path) -> None:
    async with opened(tmp_path / "s.db") as ew:
        story = await begun(ew)
        with pytest.raises(UnknownName, match="'m9' is neither a memory nor a key"):
            await story.review.submit(proposal(rests_on=("m9",)))
        with pytest.raises(UnknownName, match="'bobb'"):
            await story.review.submit(proposal(owner="bobb"))
        with pytest.raises(InputError, match="give rests_on"):
            await story.review.submit(proposal(rests_on=()))
        with pytest.raises(UnknownName, match="Waiting: nothing"):
            await story.review.get("x")
        assert await story.review.proposals() == ()


async def test_a_kind_of_ones_own_has_a_handler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[object] = []

    async def handler(story: Session, ew: Earwitness, reviewed: Reviewed) -> None:
        if reviewed.proposal.payload["bubble"] == "broken":
            raise ValueError("no such bubble")
        seen.append(reviewed.proposal.payload["bubble"])

    async with opened(tmp_path / "s.db") as ew:
        story = await begun(ew)
        fine, broken = [
            await story.review.submit(proposal(kind="prophecy", memories=(), payload={"bubble": each}))
            for each in ("vampires", "broken")
        ]
        with pytest.raises(InputError, match="no package handles that kind"):
            await story.review.approve(fine.id)
        monkeypatch.setattr(handlers, "handler_of", lambda kind: handler)
        await story.review.approve(fine.id)
        await story.review.approve(fine.id)
        with pytest.raises(PluginError, match="no such bubble"):
            await story.review.approve(broken.id)
        assert seen == ["vampires"]
        assert [each.id for each in await story.review.waiting()] == [broken.id]


def heard_by(*listeners: str, **given: Any) -> Proposal:
    """A fact for several listeners, as it is drawn from talk."""
    made = [Derivation(content=LIVES, owner=each, knowers=(each,), rests_on=("m1",)) for each in listeners]
    return proposal(about=("alice", *listeners), memories=tuple(made), **given)


async def test_who_lost_their_copy_is_left_out_and_the_others_have_the_fact(tmp_path: Path) -> None:
    async with opened(tmp_path / "s.db") as ew:
        story = await ew.session("s1", cast=["alice", "bob", "charlie"])
        await (await story.say("alice", "I moved to Rome.", key="m1", audience=["bob", "charlie"])).settled()
        one, other = [await story.review.submit(heard_by(*who)) for who in (("bob", "charlie"), ("bob",))]
        (copy,) = (await story.backstage().inspect("bob")).memories
        await story.retract(copy.id)
        done = await story.review.approve(one.id)
        assert (done.status, len(done.left_out)) == ("approved", 1)
        assert done.left_out[0].startswith("not for bob: ")
        assert "not for bob" in str(done)
        assert [len(await facts(story, each)) for each in ("bob", "charlie")] == [0, 1]
        with pytest.raises(InputError, match="cannot be approved: not for bob"):
            await story.review.approve(other.id)
        assert (await story.review.get(other.id)).status == "fallen"
        assert await story.review.waiting() == ()


async def test_one_listener_forgotten_leaves_it_to_the_others_the_subject_does_not(tmp_path: Path) -> None:
    async with opened(tmp_path / "s.db") as ew:
        story = await ew.session("s1", cast=["alice", "bob", "charlie", "dora"])
        await (await story.say("alice", "I moved to Rome.", key="m1", audience=["bob", "charlie"])).settled()
        for_two = await story.review.submit(heard_by("bob", "charlie"))
        of_dora = await story.review.submit(proposal(owner="charlie", about=("dora", "charlie"), identity=("dora",)))
        await story.forget("bob")
        await story.forget("dora")
        assert [each.id for each in await story.review.waiting()] == [for_two.id]
        assert (await story.review.get(of_dora.id)).reason == "dora was forgotten"
        done = await story.review.approve(for_two.id)
        assert done.left_out == ("not for bob: bob was forgotten",)
        assert len(await facts(story, "charlie")) == 1


@pytest.mark.parametrize("interrupted", [False, True])
async def test_rejected_what_was_half_written_is_taken_back(tmp_path: Path, interrupted: bool) -> None:
    two = tuple(Derivation(content=f"Fact {each}.", owner="bob") for each in range(2))
    async with opened(tmp_path / "s.db") as ew:
        story = await begun(ew)
        (memory,) = (await story.backstage().inspect("bob")).memories
        found = await story.review.submit(proposal(memories=two, archives=(memory.id,)))
        for key, each in zip(found.keys, two, strict=True):  # its approval was killed before it was decided
            await story.derive(each.model_copy(update={"rests_on": ("m1",)}), key=key)
        await story.archive(memory.id, key=found.archive_key)
        if interrupted:  # so was its rejection
            await story.retract(found.keys[0])
        else:
            await story.review.reject(found.id, "no")
            assert await facts(story, "bob") == []
            assert [each.id for each in (await story.backstage().inspect("bob")).memories] == [memory.id]
        done = await story.review.approve(found.id)
        assert [each.content for each in await facts(story, "bob")] == ["Fact 0.", "Fact 1."]
        assert [each.id for each in (await story.backstage().inspect("bob")).memories if each.type != "fact"] == []
        await story.retract(done.keys[0])
        assert [each.content for each in await facts(story, "bob")] == ["Fact 1."]


async def test_the_index_follows_retractions_and_other_processes(tmp_path: Path) -> None:
    async with opened(tmp_path / "s.db") as ew, opened(tmp_path / "s.db") as other:
        story = await begun(ew)
        same = await other.open_session("s1")
        found = await story.review.submit(proposal())
        assert [each.id for each in await same.review.waiting()] == [found.id]
        assert (await same.review.known(proposal())) == found
        decision = await (
            await story.change(facts={"review": [decided(found.id, "rejected", "author")]}, key="d")
        ).decided()
        assert decision is not None
        assert await same.review.statuses() == {found.id: "rejected"}
        await same.retract("d")
        assert await story.review.statuses(kind="fact") == {found.id: "waiting"}
        assert await story.review.statuses(kind="other") == {}
        await story.retract(f"review-{found.id}")
        assert await story.review.proposals() == await same.review.proposals() == ()
        assert await story.review.known(proposal()) is None


async def test_what_was_decided_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    count = 0
    read = index.read

    def counted(*given: Any) -> Reviewed | None:
        nonlocal count
        count += 1
        return read(*given)

    monkeypatch.setattr(index, "read", counted)
    async with opened(tmp_path / "s.db") as ew:
        story = await begun(ew)
        grounds = [each for each in (await story.backstage().grounds("m1")).values() if each]
        noted: list[Any] = []
        for number in range(300):
            each = proposal(f"Fact {number}.", identity=(str(number),))
            noted += [
                proposed(f"id{number}", each, 3, "2026-01-01", grounds),
                decided(f"id{number}", "approved", "author"),
            ]
        await (await story.change(facts={"review": noted})).decided()
        assert await story.review.waiting() == ()
        new = await story.review.submit(proposal(identity=("new",)))
        assert (await story.review.known(proposal(identity=("7",)))).id == "id7"
        await story.review.reject(new.id)
        assert list((await story.review.statuses()).values()) == ["approved"] * 300 + ["rejected"]
        assert count < 10


async def test_what_would_tell_somebody_what_they_do_not_know_says_so_and_waits_under_auto(tmp_path: Path) -> None:
    async with opened(tmp_path / "s.db") as ew:
        story = await begun(ew)
        (of_bob,) = (await story.backstage().inspect("bob")).memories
        assert await story.backstage().unknown_to("Charlie", "m1", of_bob.id, "m7") == ("m1", of_bob.id, "m7")
        assert await story.backstage().unknown_to("bob", "m1", of_bob.id) == ()
        for ground in ("m1", of_bob.id):
            found = await story.review.submit(proposal(owner="charlie", rests_on=(ground,)), "auto")
            assert (found.status, found.proposal.notes) == ("waiting", (f"charlie does not know {ground}",))
            again = await story.review.submit(proposal(owner="charlie", rests_on=(ground,)), "auto")
            assert (again.id, again.status) == (found.id, "waiting")
        persona = persona_container("p1", "charlie")
        for where in ({"container": "s1-charlie"}, {"container": persona.name, "registers": persona}):
            memory = Derivation(content=LIVES, **where)
            waits = await story.review.submit(proposal(memories=(memory,)), "auto")
            assert (waits.status, waits.proposal.notes) == ("waiting", ("charlie does not know m1",))
        assert await facts(story, "charlie") == []
        await story.review.approve(found.id)  # a person may
        assert [each.content for each in await facts(story, "charlie")] == [LIVES]
        known = await story.review.submit(proposal(rests_on=(of_bob.id,)), "auto")
        assert (known.status, known.proposal.notes) == ("approved", ())
