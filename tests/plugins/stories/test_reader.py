"""A story file is read as it was meant; what is wrong with it is said, with its line, before anything is played."""

import re

import pytest

from earwitness.errors import StoryError
from earwitness.loading.files import yaml_text
from earwitness.records.channel import Channel
from earwitness_plugins.applications.stories.members import StoryMember
from earwitness_plugins.applications.stories.reader import checked
from earwitness_plugins.applications.stories.steps import (
    ChangeStep,
    ChannelStep,
    EditStep,
    EnterLeaveStep,
    RecallStep,
    RetractStep,
    SayStep,
    WhoKnowsStep,
)
from earwitness_plugins.applications.stories.story import Story

STORY = """\
story: cellar
cast:
  - alice
  - {id: bob, aliases: [Robert]}
  - id: voice
    kind: narrator
state: {game_day: 5, current_scene: tavern}
present: [alice]
prepare:
  plot: Something lives in the cellar.
  cards: {alice: Afraid of nothing.}
  lore:
    - {text: It eats boots., key: boots, known_by: [alice]}
steps:
  - alice: No
  - say: {speaker: bob, text: Yes., key: answer}
  - change: {game_day: 6, audience: alice}
  - leave: bob
  - enter: [bob, voice]
  - move: {character: bob, place: attic}
  - recall: alice
  - recall: {character: bob, query: boots, show: 5}
  - who_knows: boots
  - edit: {key: answer, text: Perhaps.}
  - reroll: Never.
  - update: {text: Bob lost a boot, character: bob, type: item_lost, audience: public}
  - retract: answer
  - note: The end.
"""


def read(text: str) -> Story:
    """The story in this text."""
    return checked(yaml_text(text, "cellar.yaml", StoryError))


def test_a_message_says_who_is_there_who_perceives_it_and_where_it_is_said() -> None:
    say = "{speaker: bob, text: Yes., key: answer, present: [alice], audience: [voice], place: attic}"
    said = read(STORY.replace("{speaker: bob, text: Yes., key: answer}", say)).steps[1]
    assert isinstance(said, SayStep)
    assert (said.present, said.audience, said.place) == (("alice",), ("voice",), "attic")
    for wrong in ("{speaker: bob, text: Yes., audience: [zoe]}", "{speaker: bob, text: Yes., place: a, context: dm}"):
        with pytest.raises(StoryError, match=r"unknown character 'zoe'|has no place"):
            read(STORY.replace("{speaker: bob, text: Yes., key: answer}", wrong))


def test_a_channel_has_members_and_perhaps_a_place() -> None:
    step = "channel: {channel: 42, guild: g-1, members: [alice, bob], place: attic}"
    channel = read(STORY.replace("note: The end.", step)).steps[-1]
    assert isinstance(channel, ChannelStep)
    assert channel.where() == Channel(channel_id="42", guild_id="g-1")
    assert (channel.members, channel.place) == (("alice", "bob"), "attic")
    with pytest.raises(StoryError, match="unknown character 'zoe'"):
        read(STORY.replace("note: The end.", "channel: {channel: 42, members: [zoe]}"))


def test_a_step_says_in_which_channel_it_happens() -> None:
    say = "{speaker: bob, text: Yes., key: answer, context: dm, channel: 42, guild: g-1, persona: kim}"
    recalled = "recall: {character: alice, context: public_channel}"
    told = STORY.replace("{speaker: bob, text: Yes., key: answer}", say).replace("recall: alice", recalled)
    said, *_, recall = read(told).steps[1:7]
    assert isinstance(said, SayStep)
    assert said.where() == Channel(context="dm", channel_id="42", guild_id="g-1", persona_id="kim")
    assert isinstance(recall, RecallStep)
    assert recall.where() == Channel(context="public_channel")
    assert read(STORY).steps[0].where() == Channel()  # type: ignore[union-attr]


def test_a_change_happens_in_a_channel_too() -> None:
    step = "change: {game_day: 3, guild: smiths, channel: {context: dm, channel: 42, persona: kim}}"
    change = read(STORY.replace("note: The end.", step)).steps[-1]
    assert isinstance(change, ChangeStep)
    assert change.changes == {"game_day": 3, "guild": "smiths"}
    assert change.channel is not None
    assert change.channel.where() == Channel(context="dm", channel_id="42", persona_id="kim")
    with pytest.raises(StoryError, match=r"a change names its channel so: channel: {context: dm}"):
        read(STORY.replace("note: The end.", "change: {game_day: 3, context: dm}"))


def complaint(before: str, after: str) -> str:
    """What is said once one part of the story is replaced by another."""
    assert STORY.count(before) >= 1
    with pytest.raises(StoryError) as caught:
        read(STORY.replace(before, after, 1))
    return str(caught.value)


def test_a_bare_id_makes_a_member_of_the_cast() -> None:
    assert read(STORY).cast[:2] == (StoryMember(id="alice"), StoryMember(id="bob", aliases=("Robert",)))


def test_the_short_forms_say_the_same_as_the_long_ones() -> None:
    long = STORY.replace("- alice: No", '- say: {speaker: alice, text: "No"}')
    long = long.replace("- leave: bob", "- leave: {characters: [bob]}").replace(
        "- recall: alice", "- recall: {character: alice}"
    )
    long = long.replace("- retract: answer", "- retract: {key: answer}").replace(
        "- who_knows: boots", "- who_knows: {text: boots}"
    )
    assert read(long) == read(STORY)


def test_every_step_is_read_as_it_was_meant() -> None:
    steps = read(STORY).steps
    assert steps[0] == SayStep(speaker="alice", text="No")
    assert steps[2] == ChangeStep(changes={"game_day": 6}, audience=("alice",))
    assert steps[3:5] == (
        EnterLeaveStep(kind="leave", characters=("bob",)),
        EnterLeaveStep(kind="enter", characters=("bob", "voice")),
    )
    assert steps[7:10] == (
        RecallStep(character="bob", query="boots", show=5),
        WhoKnowsStep(text="boots"),
        EditStep(key="answer", text="Perhaps."),
    )
    assert steps[12] == RetractStep(key="answer")


def test_a_step_has_the_same_key_at_every_play() -> None:
    story = read(STORY)
    assert [story.key(1), story.key(2), story.key(3)] == ["cellar:1", "answer", "cellar:3"]


@pytest.mark.parametrize(
    ("before", "after", "line", "said"),
    [
        ("text: Yes.", "contnet: Yes.", 16, "unknown key 'contnet' in steps[1].say. Allowed: audience, channel, "),
        ("alice: No", "alcie: No", 15, "'alcie' is neither a step nor a character in the cast. A step: say, change"),
        ("alice: No", "alcie: No", 15, "Did you mean 'alice'?"),
        ("- recall: alice", "- recal: alice", 21, "Did you mean 'recall'?"),
        ("speaker: bob", "speaker: bop", 16, "unknown character 'bop'. Known: alice, bob, voice. Did you mean 'bob'?"),
        ("leave: bob", "leave: [alice, cat]", 18, "unknown character 'cat'"),
        ("audience: alice", "audience: [cat]", 17, "unknown character 'cat'"),
        ("present: [alice]", "present: [cat]", 8, "unknown character 'cat'"),
        ("cards: {alice:", "cards: {cat:", 11, "unknown character 'cat'"),
        ("known_by: [alice]", "known_by: [cat]", 13, "unknown character 'cat'"),
        ("game_day: 6", "game_dya: 6", 17, "unknown state key 'game_dya'. Did you mean 'game_day'?"),
        ("game_day: 5", "day: 5", 7, "unknown state key 'day'. Did you mean 'game_day'?"),
        ("game_day: 5", "gameday: 5", 7, "unknown state key 'gameday'. Did you mean 'game_day'?"),
        ("game_day: 5", "gametime: 5", 7, "unknown state key 'gametime'. Did you mean 'game_day'?"),
        ("game_day: 5", "GameTime: five", 7, "'five' cannot be used: a number is needed"),
        ("current_scene: tavern", "place: tavern", 7, "unknown state key 'place'. Did you mean 'current_scene'?"),
        ("- alice\n", "- alice\n  - Alice\n", 4, "character 'Alice' differs from 'alice' only in letter case"),
        ("id: bob,", "id: bob, name: Alice,", 4, "character 'bob' is called 'Alice', and so is 'alice'"),
        ("id: bob,", "id: 7,", 4, 'cast[1].id: 7 cannot be used: text is needed: "7"'),
        ("present: [alice]", "present: alice", 8, "present: 'alice' cannot be used: a list is needed: [\"alice\"]"),
        ("game_day: 5", "game_day: five", 7, "game_day: 'five' cannot be used: a number is needed"),
        ("{game_day: 6, audience: alice}", "{audience: alice}", 17, "nothing changes"),
        (
            "{key: answer, text: Perhaps.}",
            "{key: anser, text: x}",
            24,
            "unknown message 'anser'. Known: answer. Did you",
        ),
        ("retract: answer", "retract: later", 27, "unknown message 'later'"),
        ("key: answer", 'key: "#3"', 16, "message key '#3' starts with '#'"),
        ("- alice\n", "- world\n", 3, "'world' is reserved for the world container"),
        ("- alice\n", "- alice\n  - alice\n", 4, "character 'alice' is in the cast twice"),
        ("- alice\n", "- note\n", 3, "character 'note' is the name of a step"),
        ("kind: narrator", "kind: teller", 6, "'teller' is not allowed. Allowed: 'character', 'persona' or 'narrator'"),
        ("story: cellar", "story: persona-x", 1, "session id 'persona-x' starts with 'persona-'"),
        ("story: cellar", "stoory: cellar", 1, "unknown key 'stoory'. Allowed: cast"),
        ("story: cellar", 'story: "a\\nb"', 1, "control or invisible character"),
        ("- alice: No", "- alice: 5", 15, '5 cannot be used: text is needed: "5"'),
        ("- alice: No", "- alice:", 15, "there is no value: text is needed"),
        ("- alice: No", "- No", 15, "'No' is not a step. Write alice:"),
        ("- alice: No", "- {alice: x, bob: y}", 15, "a step has one key; this one has 2: alice, bob"),
        ("- leave: bob", "- move: bob", 18, "'move' takes keys"),
        ("show: 5", "show: 0", 22, "0 cannot be used: it must be at least 1"),
        ("steps:", "steps: none\nnote:", 15, "unknown key 'note'"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(before: str, after: str, line: int, said: str) -> None:
    lines = [each.strip() for each in complaint(before, after).splitlines()]
    assert any(re.match(rf"cellar\.yaml:{line}:\d+: ", each) and said in each for each in lines)


def test_everything_that_is_wrong_is_said_at_once_by_line() -> None:
    story = STORY.replace("[alice]\n", "alice\n").replace("speaker: bob", "speaker: bop").replace("No\n", "7\n")
    with pytest.raises(StoryError) as caught:
        read(story.replace("game_day: 5", "day: 5").replace("note: The", "nota: The"))
    first, *lines = str(caught.value).splitlines()
    assert first == "cellar.yaml: 5 problems."
    assert [line.split(". Known")[0].split(". A step")[0] for line in lines] == [
        "  cellar.yaml:7:9: unknown state key 'day'. Did you mean 'game_day'? A key of your own needs another name.",
        "  cellar.yaml:8:1: present: 'alice' cannot be used: a list is needed: [\"alice\"].",
        '  cellar.yaml:15:5: steps[0]: 7 cannot be used: text is needed: "7".',
        "  cellar.yaml:16:11: unknown character 'bop'",
        "  cellar.yaml:28:5: 'nota' is neither a step nor a character in the cast",
    ]


SLIPS = """\
story: persona-x
plto: A lost sword.
cast: [alice, {id: bob, nmae: Robert}, {id: kim, kind: person}]
present: alice
state: {game_dya: 2}
prepare:
  cards: {zed: A stranger.}
  examples: {bob: [5]}
  lore:
    - {known_by: [zap]}
steps:
  - enter: zed
  - change: {game_day: tomorrow}
  - say: {speaker: alice, text: Hello, key: hello, present: bob}
  - edit: {key: nokey, text: Hm.}
  - retract: nope
  - say: {speaker: zod, text: Yes., key: "#1", presnt: bob}
  - change: {}
"""


def test_one_kind_of_mistake_hides_no_other() -> None:
    with pytest.raises(StoryError) as caught:
        read(SLIPS)
    first, *lines = str(caught.value).splitlines()
    assert first == "cellar.yaml: 19 problems."
    assert [int(line.split(":")[1]) for line in lines] == [
        1,
        2,
        3,
        3,
        4,
        5,
        7,
        8,
        10,
        10,
        12,
        13,
        14,
        15,
        16,
        17,
        17,
        17,
        18,
    ]


@pytest.mark.parametrize("reader", ["cast: [{nmae: Kim}, 7]", "cast: {alice: bob}", "cast: alice"])
def test_of_a_cast_that_cannot_be_read_nobody_is_a_stranger(reader: str) -> None:
    with pytest.raises(StoryError) as caught:
        read(f"story: s\n{reader}\nstate: {{game_dya: 2}}\nsteps:\n  - enter: zed\n")
    assert "zed" not in str(caught.value)
    assert "game_dya" in str(caught.value)


def test_a_message_in_a_step_that_cannot_be_read_may_still_be_meant() -> None:
    said = complaint("speaker: bob, text: Yes., key: answer", "text: Yes., key: answer")
    assert "speaker" in said
    assert "unknown message" not in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("cast: alice, bob\nsteps:\n  - bob: Hi.", "1:1: cast: 'alice, bob' is not a list. Write cast: [alice, bob]."),
        (
            "cast: {al: Alice}\nsteps: []",
            "1:1: cast: {'al': 'Alice'} is not a list. Begin each member with a dash:",
        ),
        ("cast:\n- alice\n - bob\nsteps:\n- bob: Hi.", "2:3: 'alice - bob' is read as one name. Put - alice and - bob"),
        ("cast: [{name: Bob}]\nsteps:\n- bob: Hi.", "1:8: cast[0]: the key 'id' is missing."),
        ("cast: [7]\nsteps:\n- 7: Hi.", '1:8: cast[0]: 7 cannot be used: text is needed: "7".'),
        ("cast: [al]\nsteps:\n- join: {name: Bob}\n- bob: Hi.\n- recall: bob", "3:3: the key 'id' is missing."),
        (
            "cast:\n- al\n- {id: b, name: 'A\u200bl'}\nsteps: []",
            "3:3: character 'b': 'A\\u200bl' holds U+200B, which",
        ),
        (
            "cast: [al]\nsteps:\n- Al: Hi.",
            "3:3: 'Al' is neither a step nor a character in the cast. Did you mean 'al'?",
        ),
        (
            "cast: [al]\nsteps:\n- al: Hi.\n-al: Ho.",
            "4:1: unknown key '-al'. Allowed: cast, prepare, present, state",
        ),
        ("cast: [al]\nsteps:\n- say: {speaker: al, text: x, kind: say}", "3:31: unknown key 'kind' in say: the step"),
        ("cast: [al]\nsteps:\n\t- al: Hi.", "3:1: not YAML: a tab cannot begin a line or an item. Indent with spaces."),
        ("cast: [al\nsteps:\n- al: Hi.", "1:7: not YAML: the '[' is not closed before line 2."),
        ('cast: [al]\nsteps:\n- al: "Hi.\n', "3:7: not YAML: the quotation mark that begins here is never closed."),
        ("cast: [al]\nsteps:\n- al: Hi: you.", "3:9: not YAML: mapping values are not allowed here. Text that holds"),
        ("cast: [al]\0", "1:11: not YAML: it holds the character U+0000, which no YAML may hold."),
        ("", "1:1: this file is empty: a story begins with its keys: story, cast, steps."),
    ],
)
def test_a_slip_in_the_writing_is_one_problem_with_its_line_and_column(text: str, said: str) -> None:
    with pytest.raises(StoryError) as caught:
        read(f"{text}\nstory: s" if text else "")
    assert str(caught.value).startswith(f"cellar.yaml:{said}")
    assert "problems" not in str(caught.value)


def test_a_name_with_a_dash_in_it_is_a_name_where_somebody_speaks_under_it() -> None:
    assert read("story: s\ncast: [Anna - Lena]\nsteps:\n- Anna - Lena: Hi.").steps[0] == SayStep(
        speaker="Anna - Lena", text="Hi."
    )


def test_of_very_many_problems_the_first_are_said() -> None:
    with pytest.raises(StoryError) as caught:
        read(STORY + "  - cat: Meow\n" * 50)
    lines = str(caught.value).splitlines()
    shown = [line for line in lines if "'cat' is neither a step nor a character" in line]
    assert 1 < len(shown) <= 20
    assert lines == ["cellar.yaml: 50 problems.", *shown, f"  and {50 - len(shown)} more."]


def test_a_story_needs_somebody_in_it() -> None:
    with pytest.raises(StoryError, match=r"cellar.yaml:2:1: cast: \[\] cannot be used: at least 1 needed"):
        read("story: cellar\ncast: []\nsteps: []\n")


@pytest.mark.parametrize("text", ["", "just words", "- a list"])
def test_a_file_that_is_no_story_at_all_is_told_how_one_begins(text: str) -> None:
    with pytest.raises(StoryError, match="a story begins with its keys: story, cast, steps"):
        read(text)
