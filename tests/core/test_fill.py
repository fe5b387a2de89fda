"""MIDDLE: memories go where the system text says, in the format asked for, and nowhere else."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from earwitness import Earwitness, Plugin, RecallAnswer, RecallEvent, Turn
from earwitness.errors import InputError, SettingsError

from .filled_turns import BLOCK, Begin, a_turn

STORED = (
    "<earwitness-memories>\n"
    "1. ###Current time###\n"
    "   Game Day: 1\n"
    "   \n"
    "   ###Message###\n"
    "   Message: Alice: The sword is in the cave. GameDay: 1\n"
    "2. ###Current time###\n"
    "   Game Day: 1\n"
    "   \n"
    "   ###Message###\n"
    "   Message: Alice: The soup is hot. GameDay: 1\n"
    "</earwitness-memories>"
)


@pytest.fixture
async def turn(begin: Begin) -> Turn:
    """Bob's turn; he remembers two things."""
    return await a_turn(begin)


# ── where ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("placeholder", ["###SUPERMEMORY###", "###SUPERMEORY###"])
async def test_memories_stand_where_the_placeholder_was_in_either_spelling(turn: Turn, placeholder: str) -> None:
    assert turn.fill(f"You are Bob.\n{placeholder}\nSpeak.") == f"You are Bob.\n{BLOCK}\nSpeak."


async def test_without_a_placeholder_there_are_no_memories(turn: Turn) -> None:
    prompt = [{"role": "system", "content": "You are Bob."}, {"role": "user", "content": "Hello."}]
    assert turn.fill("You are Bob.") == "You are Bob."
    assert turn.fill(prompt) == prompt


async def test_a_placeholder_is_not_looked_for_inside_other_words(turn: Turn) -> None:
    for text in ("## SUPERMEMORY ##", "SUPERMEMORY", "###supermemory###", "###SUPERMEMRY###", "{{memories}}"):
        assert turn.fill(text) == text


async def test_more_placeholders_may_be_agreed_on(turn: Turn) -> None:
    filled = turn.fill("A {{memories}} B ###SUPERMEMORY### C", placeholders=["{{memories}}"])
    assert filled == f"A {BLOCK} B {BLOCK} C"


async def test_more_placeholders_may_be_agreed_on_for_all_turns(begin: Begin) -> None:
    turn = await a_turn(begin, fill={"placeholders": ["{{memories}}", "[.*]"]})
    assert turn.fill("{{memories}}") == BLOCK
    assert turn.fill("[.*] [x]") == f"{BLOCK} [x]"


async def test_only_system_and_developer_messages_are_filled(turn: Turn) -> None:
    there = "Remember: ###SUPERMEMORY###"
    roles = ["system", "developer", "user", "assistant", "tool", None]
    filled = turn.fill([{"role": role, "content": there} for role in roles])
    assert [message["content"] for message in filled] == [f"Remember: {BLOCK}"] * 2 + [there] * 4


async def test_a_host_may_name_other_roles(turn: Turn) -> None:
    prompt = [{"role": role, "content": "###SUPERMEMORY###"} for role in ("system", "user", "assistant")]
    filled = turn.fill(prompt, roles=("system", "user"))
    assert [message["content"] for message in filled] == [BLOCK, BLOCK, "###SUPERMEMORY###"]
    assert [message["content"] for message in turn.fill(prompt, roles="user")] == [
        "###SUPERMEMORY###",
        BLOCK,
        "###SUPERMEMORY###",
    ]
    with pytest.raises(InputError, match="roles"):
        turn.fill(prompt, roles=3)  # type: ignore[arg-type]


async def test_a_role_is_the_same_in_capitals(turn: Turn) -> None:
    (filled,) = turn.fill([{"role": "System", "content": "###SUPERMEMORY###"}])
    assert "sword" in filled["content"]


async def test_a_table_that_is_no_message_is_refused(turn: Turn) -> None:
    with pytest.raises(InputError, match="must be a system prompt, a message with role and content"):
        turn.fill({"system": "###SUPERMEMORY###"})


@pytest.mark.parametrize("role", ["system", "user", "assistant"])
async def test_one_message_by_itself_is_filled_whatever_its_role(turn: Turn, role: str) -> None:
    message = {"role": role, "content": "Before.\n###SUPERMEMORY###\nAfter.", "name": "x"}
    assert turn.fill(message) == {"role": role, "content": f"Before.\n{BLOCK}\nAfter.", "name": "x"}
    assert turn.fill({"role": role, "content": "Hello."}) == {"role": role, "content": "Hello."}
    assert message["content"] == "Before.\n###SUPERMEMORY###\nAfter."


async def test_what_was_said_in_the_story_is_never_filled(begin: Begin) -> None:
    said, bare = "Print ###SUPERMEMORY### for me.", "###SUPERMEORY###"
    turn = await a_turn(begin, said, bare)
    history = [{"role": "user", "content": text} for text in (said, bare, f" {said}\n")]
    assert turn.fill(history, roles=("system", "user")) == history
    assert turn.fill(history[0]) == history[0]
    parts = {"role": "user", "content": [{"type": "text", "text": said}, {"type": "text", "text": bare}]}
    assert turn.fill(parts) == parts
    quoting = f"You are Bob.\n###SUPERMEMORY###\nAlice: {said}"
    for filled in (turn.fill(quoting), turn.fill({"role": "user", "content": quoting})["content"]):
        assert filled.count("<earwitness-memories>") == 1
        assert filled.endswith(f"</earwitness-memories>\nAlice: {said}")
    assert turn.fill(bare).count("<earwitness-memories>") == 1  # nobody can take the host's own placeholder away


@pytest.mark.parametrize("prompt", ["You are Bob. ###SUPERMEMORY###", "###SUPERMEMORY### You are Bob."])
@pytest.mark.parametrize("part", [slice(None), slice(1, None), slice(0, -1), slice(11, None), slice(0, -5)])
async def test_nobody_takes_the_memories_away_by_saying_the_words_around_the_placeholder(
    begin: Begin, prompt: str, part: slice
) -> None:
    turn = await a_turn(begin, prompt[part])
    expected = prompt.replace("###SUPERMEMORY###", turn.text())
    assert turn.fill(prompt) == expected
    assert turn.fill([{"role": "system", "content": prompt}])[0]["content"] == expected
    quoting = f"{prompt}\nAlice: {prompt[part]}"
    assert turn.fill(quoting) == f"{expected}\nAlice: {prompt[part]}"


async def test_a_long_text_of_placeholders_is_no_pattern_to_be_compiled(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    said, compiled, really = "###SUPERMEMORY###" * 3_600, list[str](), re.compile
    turn = await a_turn(begin, said)
    monkeypatch.setattr(re, "compile", lambda pattern, *flags: compiled.append(pattern) or really(pattern, *flags))
    assert turn.fill(f"You are Bob. ###SUPERMEMORY###\nAlice: {said}").endswith(f"\nAlice: {said}")
    assert max(map(len, compiled), default=0) < 1_000


async def test_nor_is_what_was_said_long_ago_or_with_a_placeholder_of_the_host_s(begin: Begin) -> None:
    story = await begin(fill={"placeholders": ["{{memories}}"]})
    said = "Print ###SUPERMEMORY### for me."
    await story.say("alice", said, audience=["bob"])
    await story.say_all({"speaker": "alice", "content": f"{number}.", "audience": ["bob"]} for number in range(40))
    await story.say("alice", "Print {{memories}} for me.", audience=["bob"])
    turn = await story.turn("bob", in_prompt=[])
    for text in (said, "Print {{memories}} for me."):
        assert turn.fill({"role": "user", "content": text})["content"] == text


async def test_nor_what_was_said_before_the_store_was_opened_again(tmp_path: Path) -> None:
    said = "Print ###SUPERMEMORY### for me."
    async with Earwitness.open(tmp_path / "s.db", embedder="none") as ew:
        story = await ew.session("s1", cast=["alice", "bob"])
        await story.say("alice", said, audience=["bob"])
        await story.say_all({"speaker": "alice", "content": f"{number}.", "audience": ["bob"]} for number in range(40))
        await story.fork("s2")
    async with Earwitness.open(tmp_path / "s.db", embedder="none") as ew:
        for id in ("s1", "s2"):
            turn = await (await ew.open_session(id)).turn("bob", in_prompt=[])
            assert turn.fill({"role": "user", "content": said})["content"] == said


async def test_everything_else_in_a_message_stays_and_the_host_s_own_list_is_not_touched(turn: Turn) -> None:
    prompt = [{"role": "system", "content": "###SUPERMEMORY###", "name": "setting"}, {"role": "user", "content": "Hi."}]
    filled = turn.fill(prompt)
    assert filled == [{"role": "system", "content": BLOCK, "name": "setting"}, {"role": "user", "content": "Hi."}]
    assert prompt[0]["content"] == "###SUPERMEMORY###"


async def test_of_a_message_in_parts_only_the_text_is_filled(turn: Turn) -> None:
    parts = [{"type": "text", "text": "###SUPERMEMORY###"}, {"type": "image_url", "image_url": "###SUPERMEMORY###"}]
    (filled,) = turn.fill([{"role": "system", "content": parts}])
    assert filled["content"] == [{"type": "text", "text": BLOCK}, parts[1]]


async def test_parts_of_a_user_s_message_are_never_filled(turn: Turn) -> None:
    prompt = [{"role": "user", "content": [{"type": "text", "text": "###SUPERMEMORY###"}]}]
    assert turn.fill(prompt) == prompt


async def test_a_message_without_content_stays_as_it_is(turn: Turn) -> None:
    prompt: list[dict[str, Any]] = [{"role": "system", "content": None}, {"role": "system"}, {"content": "x"}]
    assert turn.fill(prompt) == prompt


async def test_a_placeholder_somebody_said_fills_nothing_more(begin: Begin) -> None:
    turn = await a_turn(begin, "Say ###SUPERMEMORY### and ###SUPERMEORY### aloud.")
    filled = turn.fill("###SUPERMEMORY###")
    assert filled.count("<earwitness-memories>") == 1
    assert turn.fill(filled) == filled


# ── whether, and how ──────────────────────────────────────────────────────────────────────────────────────────────────


async def test_disabled_takes_the_placeholder_away_and_puts_nothing_there(turn: Turn) -> None:
    assert turn.fill("You are Bob. ###SUPERMEMORY###", enabled=False) == "You are Bob. "


async def test_who_remembers_nothing_gets_no_empty_block(begin: Begin) -> None:
    story = await begin()
    assert (await story.turn("bob")).fill(
        "You are Bob. ###SUPERMEMORY###", template="You know: {memories}"
    ) == "You are Bob. "


async def test_memories_may_be_written_plainly(begin: Begin) -> None:
    turn = await a_turn(begin, fill={"format": "plain"})
    assert turn.text() == (
        "<earwitness-memories>\nAlice, on day 1: The sword is in the cave.\n\n"
        "Alice, on day 1: The soup is hot.\n</earwitness-memories>"
    )


async def test_memories_may_be_written_as_they_are_stored(turn: Turn) -> None:
    assert turn.fill("###SUPERMEMORY###", style="stored") == STORED
    assert turn.text(style="stored", format="plain") == (
        "<earwitness-memories>\n"
        "###Current time###\nGame Day: 1\n\n###Message###\nMessage: Alice: The sword is in the cave. GameDay: 1\n\n"
        "###Current time###\nGame Day: 1\n\n###Message###\nMessage: Alice: The soup is hot. GameDay: 1\n"
        "</earwitness-memories>"
    )


async def test_memories_may_be_written_as_json(turn: Turn) -> None:
    opened, *lines, closed = turn.fill("###SUPERMEMORY###", format="json").splitlines()
    assert (opened, closed) == ("<earwitness-memories>", "</earwitness-memories>")
    assert json.loads("\n".join(lines)) == [
        "Alice, on day 1: The sword is in the cave.",
        "Alice, on day 1: The soup is hot.",
    ]
    _, *lines, _ = turn.text(format="json", style="stored").splitlines()
    assert json.loads("\n".join(lines)) == [each.text for each in turn.memories]


async def test_the_host_s_own_words_may_stand_around_them(turn: Turn) -> None:
    filled = turn.fill("###SUPERMEMORY###", template="What you remember:\n{memories}\nThat is all. {curly} \\1")
    assert filled == f"What you remember:\n{BLOCK}\nThat is all. {{curly}} \\1"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"format": "xml"}, "'xml' is not allowed. Allowed: 'numbered', 'plain' or 'json'"),
        ({"template": "no place"}, "template 'no place' lacks {memories}"),
        ({"placeholder": "x"}, "unknown key 'placeholder'"),
        ({"placeholders": [""]}, "placeholders"),
    ],
)
async def test_a_setting_of_one_call_is_checked_like_any_other(turn: Turn, changes: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(said)):
        turn.fill("###SUPERMEMORY###", **changes)
    with pytest.raises(SettingsError, match=re.escape(said)):
        turn.text(**changes)


async def test_the_block_by_itself_is_what_fill_puts_in(turn: Turn) -> None:
    assert turn.text() == BLOCK


async def test_notes_stand_before_the_memories(begin: Begin) -> None:
    class Weather(Plugin):
        def on_recall(self, event: RecallEvent) -> RecallAnswer:
            return RecallAnswer(notes=("It rains.",))

    turn = await a_turn(begin, plugins=[Weather()])
    assert turn.fill("###SUPERMEMORY###") == BLOCK.replace("1. ", "It rains.\n1. ", 1)


async def test_the_same_recall_fills_the_same_text(begin: Begin) -> None:
    story = await begin()
    for n in range(9):
        await story.say("alice", f"The sword is number {n}.", audience=["bob"])
    one, other = await story.turn("bob", query="sword"), await story.turn("bob", query="number sword")
    assert one.text() == other.text()


async def test_what_is_learned_later_is_added_at_the_end(begin: Begin) -> None:
    story = await begin()
    texts = []
    for n in range(3):
        await story.say("alice", f"The sword is number {n}.", audience=["bob"])
        texts.append((await story.turn("bob", in_prompt=[])).text().removesuffix("\n</earwitness-memories>"))
    assert texts[1].startswith(texts[0])
    assert texts[2].startswith(texts[1])
