"""The store `markdown`: files that people read and edit."""

# ruff: noqa: ASYNC220, ASYNC240, ASYNC251 - the files are small, and only the test waits

import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from earwitness import Earwitness, Session, Settings
from earwitness.containers import decode
from earwitness.errors import InputError, NotPermitted, SettingsError, StorageCorrupt, StorageError, StorageLocked
from earwitness.records.memory import Memory
from earwitness.testing.samples import HOSTILE_NAMES, LOOKALIKES, ODD_NAMES, ODD_TEXTS, memory
from earwitness_plugins.services.durable import locked
from earwitness_plugins.stores.markdown import MarkdownStore
from earwitness_plugins.stores.markdown.document import MemoryFile, read_document, with_items, without_ids
from earwitness_plugins.stores.markdown.item import item_of
from earwitness_plugins.stores.markdown.names import folder_name

from ...examples import share_of

pytestmark = pytest.mark.anyio
ALICE = "s1-alice"
Open = Callable[..., MarkdownStore]


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "story.db")


@pytest.fixture
async def store(path: str) -> MarkdownStore:
    made = MarkdownStore(path=path, embedder=None)
    await made.open()
    return made


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "story.memories" / ALICE / "MEMORY.md"


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")


# ── the format ──────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_file_has_a_list_with_a_comment_below_each_memory(store: MarkdownStore, file: Path) -> None:
    content = "Bob: The sword\nis in the cave."
    await store.put([Memory(id="4f1c", container=ALICE, content=content, metadata={"gameDay": 2})])
    assert file.read_text("utf-8") == (
        '---\nearwitness: 1\ncontainer: "s1-alice"\n---\n\n# s1-alice\n\n'
        "- Bob: The sword\n  is in the cave.\n"
        '  <!-- {"id": "4f1c", "wrote": "a4be2f72", "metadata": {"gameDay": 2}} -->\n'
    )


MARKUP = ("- a list\n- of two", "<!-- {} -->", "\\<!-- x", "# h\n\n\n  x", "---", "\n", "a\u2028b")
contents = st.one_of(
    st.sampled_from((*ODD_TEXTS, *MARKUP)),
    st.text(st.one_of(st.sampled_from("-# <!>\\\n\r\t{}\"' a"), st.characters()), max_size=40),
)


@given(st.lists(st.tuples(st.text(min_size=1, max_size=8), contents), max_size=5))
@settings(max_examples=share_of(150), deadline=None)
def test_any_text_is_read_as_it_was_written(written: list[tuple[str, str]]) -> None:
    memories = {id: memory("c", id, text, location=text) for id, text in written}
    document = with_items(MemoryFile({}), [item_of(each, None) for each in memories.values()])
    read = read_document(document.written("c"), "c", "MEMORY.md", named=False)
    assert read.memories == [*memories.values()]
    assert read.written("c") == document.written("c")
    fewer = without_ids(read, [id for id, _ in written][:2])
    assert read_document(fewer.written("c"), "c", "MEMORY.md", named=False).memories == fewer.memories


def test_every_container_has_a_folder_of_its_own_on_any_file_system() -> None:
    names = {*ODD_NAMES, *HOSTILE_NAMES, *LOOKALIKES, "con", "Con", "con.md", "a" * 201, "A" * 67, "-", "\x00"}
    folders = [folder_name(name) for name in names]
    assert len({folder.casefold() for folder in folders}) == len(names)
    assert all(set(folder) <= set("abcdefghijklmnopqrstuvwxyz0123456789-_ABCDEF") for folder in folders)
    assert all(len(folder) <= 200 and folder[0] != "-" and folder.lower() not in {"con", "nul"} for folder in folders)
    assert folder_name(ALICE) == ALICE
    with pytest.raises(StorageError, match="not valid Unicode"):
        folder_name("half of a pair: \ud83d")


@pytest.mark.parametrize(
    ("container", "folder"),
    [("s1-alice", "s1-alice"), ("a_b", "a_5Fb"), ("Ann", "_41nn"), ("ä", "_C3_A4"), ("con", "_63on")],
)
def test_a_folder_is_called_as_the_documentation_shows(container: str, folder: str) -> None:
    shown = "".join(Path("docs/backends.md").read_text("utf-8").split("A folder is called after its container")[1:])
    assert folder_name(container) == folder
    assert container == "con" or f"`{container}` → `{folder}`" in shown


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12))
def test_a_folders_name_says_which_container_it_is_of(container: str) -> None:
    assert decode(folder_name(container)) == container


# ── edits by hand ───────────────────────────────────────────────────────────────────────────────────────────────────


async def test_what_a_person_changes_counts_at_once(store: MarkdownStore, file: Path) -> None:
    """Changed, added and removed; also in a search that has been made before."""
    await store.put([memory(ALICE, f"m{n}", text) for n, text in enumerate(("a sword", "a dragon", "a tavern"))])
    assert [hit.memory.id for hit in await store.search(ALICE, "sword")] == ["m0"]
    text = file.read_text("utf-8").replace("- a sword", "- a lance").split("- a dragon")
    tavern = text[1][text[1].index("- a tavern") :]
    file.write_text(f"{text[0]}{tavern}\n\n* The king is dead,\n  and the queen rules.\n", "utf-8")
    assert [each.content for each in await store.list(ALICE)] == [
        "a lance",
        "a tavern",
        "The king is dead,\nand the queen rules.",
    ]
    assert list(await store.search(ALICE, "sword")) == []
    assert [hit.memory.id for hit in await store.search(ALICE, "lance")] == ["m0"]
    (found,) = await store.search(ALICE, "queen")
    assert found.memory.metadata == {"type": "fact", "permanent": True, "byHand": True}
    assert (await store.get(ALICE, ["m0"]))[0].metadata == {"type": "message", "byHand": True}
    assert await store.count(ALICE) == 3


async def test_what_a_person_wrote_keeps_its_id_once_the_store_has_written(store: MarkdownStore, file: Path) -> None:
    await store.put([memory(ALICE, "m0", "a sword")])
    edit(file, "# s1-alice\n", "# Alice\n\nNotes that nobody remembers.\n\n- She fears cats.\n")
    await store.put([memory(ALICE, "m1", "a dragon")])
    (by_hand, *others) = await store.list(ALICE)
    assert (by_hand.content, [each.id for each in others]) == ("She fears cats.", ["m0", "m1"])
    assert by_hand.id in file.read_text("utf-8")
    edit(file, "fears cats", "likes cats")
    assert [each.content for each in await store.get(ALICE, [by_hand.id])] == ["She likes cats."]
    await store.remove({ALICE: [by_hand.id]})
    assert "# Alice\n\nNotes that nobody remembers.\n" in file.read_text("utf-8")


async def test_the_same_put_again_does_not_undo_what_a_person_changed(store: MarkdownStore, file: Path) -> None:
    """Other words do, and the history has both."""
    await store.put([memory(ALICE, "m", "a sword")])
    edit(file, "a sword", "a rusty sword")
    await store.put([memory(ALICE, "m", "a sword", gameDay=2)])
    assert list(await store.list(ALICE)) == [memory(ALICE, "m", "a rusty sword", gameDay=2, byHand=True)]
    await store.put([memory(ALICE, "m", "a spoon")])
    assert list(await store.list(ALICE)) == [memory(ALICE, "m", "a spoon")]


async def test_what_a_person_saves_while_the_store_writes_is_kept(
    store: MarkdownStore, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.put([memory(ALICE, "m", "a sword")])
    edits = iter(["a lance", "a spoon"])
    synced = os.fsync

    def meanwhile(descriptor: int) -> None:
        synced(descriptor)
        if new := next(edits, None):
            edit(file, "a sword" if new == "a lance" else "a lance", new)

    monkeypatch.setattr(os, "fsync", meanwhile)
    await store.put([memory(ALICE, "n", "a shield")])
    assert [each.content for each in await store.list(ALICE)] == ["a spoon", "a shield"]


async def test_memories_that_a_person_has_reordered_are_listed_so(store: MarkdownStore, file: Path) -> None:
    await store.put([memory(ALICE, f"m{n}", f"the sword {n}") for n in range(3)])
    await store.search(ALICE, "sword")
    head, *items = file.read_text("utf-8").split("- the")
    file.write_text("- the".join([head, *reversed(items)]), "utf-8")
    assert [each.id for each in await store.list(ALICE)] == ["m2", "m1", "m0"]
    assert [hit.memory.id for hit in await store.search(ALICE, "")] == ["m0", "m1", "m2"]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"type"', '"type', r"MEMORY\.md:9:\d+: the comment is not JSON"),
        ("} -->", "}", r"MEMORY\.md:9:\d+: the comment must end with"),
        (
            '"metadata"',
            '"metdata"',
            r"MEMORY\.md:9:8: the comment has 'metdata'\. It may have: id",
        ),
        ('"message"', "null", r"MEMORY\.md:9:3: metadata 'type' must be text"),
        ("- a sword", "- a sword\nin the cave", r"MEMORY\.md:9:1: 'in the cave' goes on from the memory above: indent"),
        ("# s1-alice\n", '- a lance\n  <!-- {"id": "m"} -->\n', r"MEMORY\.md:9:1: two memories have the id 'm'"),
        ('"s1-alice"', '"s1-bob"', r"MEMORY\.md:3:12: the file belongs to container 's1-bob'"),
        ("earwitness: 1", "earwitness: 2", r"MEMORY\.md:2:13: the file has format 2"),
        ("---\n\n#", "\n#", r"MEMORY\.md:1:1: the head has no end"),
    ],
)
async def test_a_broken_file_is_named_with_its_place_and_left_alone(
    store: MarkdownStore, file: Path, old: str, new: str, says: str
) -> None:
    await store.put([memory(ALICE, "m", "a sword"), memory("s1-bob", "m", "a shield")])
    whole = file.read_text("utf-8")
    edit(file, old, new)
    broken = file.read_bytes()
    with pytest.raises(StorageCorrupt, match=says):
        await store.list(ALICE)
    with pytest.raises(StorageCorrupt, match=says):
        await store.search(ALICE, "x")
    with pytest.raises(StorageCorrupt, match=says):
        await store.put([memory("s1-bob", "n"), memory(ALICE, "n")])
    assert file.read_bytes() == broken
    assert await store.count("s1-bob") == 1
    health = await store.health()
    assert not health.ok
    assert str(file) in str(health.details["problem 1"])
    file.write_text(whole, "utf-8")
    await store.put([memory(ALICE, "n")])
    assert [each.id for each in await store.list(ALICE)] == ["m", "n"]


async def test_a_file_that_is_no_utf8_is_named_with_its_place(store: MarkdownStore, file: Path) -> None:
    await store.put([memory(ALICE, "m", "a sword")])
    file.write_bytes(file.read_bytes().replace(b"a sword", b"a \xffsword"))
    with pytest.raises(StorageCorrupt, match=r"MEMORY\.md:8:5: this byte is not UTF-8"):
        await store.list(ALICE)


async def test_what_editors_of_other_systems_write_is_read(store: MarkdownStore, file: Path) -> None:
    """A byte order mark, other line ends, trailing spaces, no last line end."""
    await store.put([memory(ALICE, "m", "a sword\n\nin a cave")])
    text = file.read_text("utf-8").rstrip().replace("a sword", "a sword  ")
    file.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert list(await store.list(ALICE)) == [memory(ALICE, "m", "a sword\n\nin a cave")]


# ── files ───────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_file_is_written_only_when_something_changed(store: MarkdownStore, file: Path) -> None:
    await store.put([memory(ALICE, "m", "a sword")])
    before, history = file.stat(), (file.parent / "HISTORY.md").read_text("utf-8")
    await store.put([memory(ALICE, "m", "a sword")])
    await store.remove({ALICE: ["nobody"]})
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert (file.parent / "HISTORY.md").read_text("utf-8") == history


async def test_the_history_only_grows_until_the_container_is_dropped(store: MarkdownStore, file: Path) -> None:
    await store.put([memory(ALICE, "m", "a sword\nin a cave")])
    await store.put([memory(ALICE, "m", "a spoon")])
    edit(file, "# s1-alice\n", "- She fears cats.\n")
    await store.remove({ALICE: ["m"]})
    said = [line[22:] for line in (file.parent / "HISTORY.md").read_text("utf-8").splitlines()]
    assert said == ["remembered: a sword in a cave", "changed: a spoon", "by hand: She fears cats.", "forgot: a spoon"]
    await store.drop(ALICE)
    assert [each.name for each in file.parent.parent.iterdir()] == [".lock"]


async def test_without_history_there_is_none(path: str, file: Path) -> None:
    store = MarkdownStore(path=path, embedder=None, history=False)
    await store.open()
    await store.put([memory(ALICE, "m")])
    assert [each.name for each in file.parent.iterdir()] == ["MEMORY.md"]


async def test_a_batch_that_cannot_be_written_leaves_every_container_alone(store: MarkdownStore) -> None:
    await store.put([memory("c", "old")])
    impossible = memory("d", "bad").model_copy(update={"content": object()})
    with pytest.raises(StorageError, match="memory 'bad' cannot be written as text"):
        await store.put([memory("c", "new"), impossible])
    assert [await store.count(name) for name in "cd"] == [1, 0]


async def test_a_lock_that_is_held_too_long_is_named(path: str, store: MarkdownStore, tmp_path: Path) -> None:
    patient = MarkdownStore(path=path, embedder=None, lock_timeout=0.05)
    with locked(tmp_path / "story.memories" / ".lock", 1), pytest.raises(StorageLocked, match=r"for more than 0\.05"):
        await patient.open()
    await patient.open()


def test_the_folder_is_named_after_the_stories_or_by_the_settings(tmp_path: Path) -> None:
    path = str(tmp_path / "story.db")
    assert MarkdownStore(path=path, embedder=None).folder == tmp_path / "story.memories"
    assert MarkdownStore(path=path, embedder=None, folder="notes").folder == tmp_path / "notes"
    with pytest.raises(SettingsError, match="':memory:' names none"):
        MarkdownStore(path=":memory:", embedder=None)


WRITER = """
import asyncio, sys
from itertools import count
from earwitness.records.memory import Memory
from earwitness_plugins.stores.markdown import MarkdownStore

async def write(path, name):
    store = MarkdownStore(path=path, embedder=None)
    await store.open()
    for turn in count():
        ids = [f"{name}-{turn}-{n}" for n in range(3)]
        await store.put([Memory(id=id, container="c", content="words", metadata={}) for id in ids])
        print(turn, flush=True)

asyncio.run(write(*sys.argv[1:]))
"""


async def test_nothing_acknowledged_is_lost_when_writers_are_killed(path: str, store: MarkdownStore) -> None:
    acknowledged: set[str] = set()
    for round in range(4):
        command = [sys.executable, "-c", WRITER, path]
        writers = [subprocess.Popen([*command, f"w{round}{n}"], stdout=subprocess.PIPE, text=True) for n in range(2)]
        for number, writer in enumerate(writers):
            assert writer.stdout is not None
            writer.stdout.readline()
            time.sleep(0.02 * number)
        for number, writer in enumerate(writers):
            writer.kill()
            more = writer.communicate()[0].split()
            turns = range(int(more[-1]) + 1 if more else 1)
            acknowledged |= {f"w{round}{number}-{turn}-{n}" for turn in turns for n in range(3)}
    found = [each.id for each in await store.list("c")]
    assert acknowledged <= {*found}
    assert len(found) == len({*found})
    assert len(found) % 3 == 0, "a batch is written wholly or not at all"


async def test_a_damaged_last_line_of_the_history_is_finished(store: MarkdownStore, file: Path) -> None:
    await store.put([memory(ALICE, "m", "a sword")])
    history = file.parent / "HISTORY.md"
    history.write_text(history.read_text("utf-8") + "- 2026-11", "utf-8")
    await store.put([memory(ALICE, "n", "a shield")])
    assert history.read_text("utf-8").splitlines()[1] == "- 2026-11"
    assert history.read_text("utf-8").endswith("remembered: a shield\n")


async def test_metadata_edited_by_hand_counts(store: MarkdownStore, file: Path) -> None:
    await store.put([memory(ALICE, "m", "a sword", gameDay=2)])
    edit(file, '"gameDay": 2', '"gameDay": 3')
    assert (await store.list(ALICE))[0].game_day == 3
    hidden = json.loads(file.read_text("utf-8").split("<!-- ")[1].split(" -->")[0])
    assert hidden.keys() == {"id", "wrote", "metadata"}


# ── backstage ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
async def story(tmp_path: Path) -> AsyncIterator[Session]:
    made = Settings.model_validate({"path": str(tmp_path / "story.db"), "store": "markdown"})
    async with Earwitness.open(settings=made) as ew:
        opened = await ew.session("s1", cast=["alice", "bob"], present=["alice", "bob"])
        await (await opened.say("bob", "The sword is in the cave.", key="m1")).settled()
        yield opened


async def test_backstage_says_of_a_memory_that_it_was_written_by_hand_and_where(story: Session, file: Path) -> None:
    file.write_text(file.read_text("utf-8") + "\n- Alice is afraid of caves.\n", "utf-8")
    backstage = story.backstage(role="owner")
    written = (await backstage.inspect("alice")).memories[-1]
    assert f"written or changed by hand in {file}" in str(await backstage.explain(written.id))
    own = story.backstage(role="player", persona="alice")
    assert f"by hand in {file}" in str(await own.explain(written.id))
    with pytest.raises(NotPermitted):
        await story.backstage(role="player", persona="bob").explain(written.id)
    assert await backstage.find_memories(written.id[:8]) == {written.id: "alice"}
    found = await backstage.who_knows("Alice is afraid of caves.")
    assert found.knowers["alice"].memory_id == written.id
    assert not found.knowers["bob"].knows
    with pytest.raises(InputError, match=r"written by hand in .*MEMORY\.md: delete it there"):
        await story.retract(written.id)


async def test_backstage_goes_by_what_a_changed_memory_says_now(story: Session, file: Path) -> None:
    edit(file, "The sword is in the cave.", "The sword is in the lake.")
    backstage = story.backstage(role="owner")
    changed = (await backstage.inspect("alice")).memories[0]
    explained = await backstage.explain(changed.id)
    assert "in the lake" in explained.content
    assert "changed by hand" in str(explained)
    lake = (await backstage.who_knows("The sword is in the lake.")).knowers
    assert (lake["alice"].memory_id, lake["bob"].knows) == (changed.id, False)
    cave = (await backstage.who_knows("The sword is in the cave.")).knowers
    assert (cave["alice"].knows, cave["bob"].knows) == (False, True)
