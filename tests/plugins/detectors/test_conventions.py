"""What is said aloud, done, whispered, thought, or meant for nobody in the story."""

import pytest

from earwitness_plugins.detectors.text.fragments import fragments


def kinds(text: str, **of: object) -> list[str]:
    return [piece.kind for piece in fragments(text, own=("alice", "Alice"), **of)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello there.", ["spoken"]),
        ('*smiles* "Hello there."', ["action", "spoken"]),
        ("_smiles_ Hello.", ["action", "spoken"]),
        ("**slams the door**", ["action"]),
        ("/me smiles", ["action"]),
        ("“Hello,” *she says* “friend.”", ["spoken", "action", "spoken"]),
        ('Alice leans back. "Well, well."', ["action", "spoken"]),
        ('"Well, well," she says, leaning back.', ["spoken", "action"]),
        ("[I must not tell them.]", ["thought"]),
        ("*thinks about Bob*", ["thought"]),
        ("*she wonders whether Bob knows*", ["thought"]),
        ("/think He lies.", ["thought"]),
        ("(thinking) He lies.", ["thought", "spoken"]),
        ("(OOC: brb)", ["ooc"]),
        ("((brb))", ["ooc"]),
        ("ooc: brb", ["ooc"]),
        ("/ooc brb", ["ooc"]),
        ("[OOC: brb]", ["ooc"]),
        ("Hello!\nOOC: brb\nSo, where were we?", ["spoken", "ooc", "spoken"]),
        ("(aside) What a fool.", ["aside", "spoken"]),
        ("(aside to Bob) What a fool.", ["whisper", "spoken"]),
        ("*mutters to herself* What a fool.", ["aside", "spoken"]),
        ("/w Bob Run!", ["whisper"]),
        ("/whisper Bob Run!", ["whisper"]),
        ("(to Bob) Run!", ["whisper", "spoken"]),
        ("whispers to Bob: run!", ["whisper", "spoken"]),
        ("Alice whispers to Bob: run!", ["whisper", "spoken"]),
        ("*whispers to Bob* Run!", ["whisper", "action", "spoken"]),
        ("*leans to Bob's ear* Run!", ["whisper", "action", "spoken"]),
        ("*pulls Bob aside* Run!", ["whisper", "action", "spoken"]),
        ("*says quietly to Bob* Run!", ["whisper", "action", "spoken"]),
    ],
)
def test_each_convention_is_read(text: str, expected: list[str]) -> None:
    assert kinds(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "I *really* mean it.",
        "You *left* me!",
        "2 * 3 * 4 is 24 :(",
        "snake_case_names are fine",
        "I *think* so.",
    ],
)
def test_stress_smileys_and_sums_are_just_spoken(text: str) -> None:
    assert set(kinds(text)) == {"spoken"}


def test_what_is_said_to_everyone_is_no_whisper() -> None:
    assert "whisper" not in kinds("(to everyone) Listen!")


def test_thinking_for_a_moment_is_a_gesture_everybody_sees() -> None:
    assert kinds('*thinks for a moment* "Fine."') == ["action", "spoken"]


@pytest.mark.parametrize(
    "text",
    [
        "*walks quietly to the bar*",
        "*tucks her hair behind her ear*",
        "*puts a hand to his ear*",
        "*takes the lamp aside*",
        "*is lost in thought*",
        "*wonders aloud where the sword is*",
        "*says quietly* We should go.",
    ],
)
def test_what_others_can_see_and_hear_is_not_private(text: str) -> None:
    assert not {"whisper", "thought", "aside"} & set(kinds(text))


def test_telling_of_oneself_by_name_is_action() -> None:
    assert kinds("Alice nods and leaves the room.") == ["action"]
    assert kinds("Alice is here!") == kinds("Alice and Bob agreed.") == ["spoken"]


def test_a_command_keeps_private_what_is_private_within_it() -> None:
    assert kinds("/me nods ((brb))") == ["action", "ooc"]
    assert kinds("/w Bob hello\nOOC: brb") == ["whisper", "ooc"]
    assert "whisper" in kinds("/me whispers to Bob")


def test_words_quoted_within_speech_are_somebody_elses() -> None:
    assert kinds('He wrote "Bob enters" on the wall.') == ["spoken", "quoted", "spoken"]
    assert kinds('"Bob enters" was all he wrote.') == ["quoted", "spoken"]


def test_a_whisper_stays_one_inside_quotes() -> None:
    assert "whisper" in kinds('"*whispers to Bob* run"')
    assert "action" not in kinds('"*Bob enters*"')


@pytest.mark.parametrize("text", ["*whispers to Bob run", "((brb", "[He must not know", '"Hello'])
def test_an_unclosed_mark_holds_to_the_end(text: str) -> None:
    closed = {"*": "*", "(": "))", "[": "]", '"': '"'}[text[0]]
    assert kinds(text) == kinds(text + closed)


def test_a_narrators_text_is_action_sentence_by_sentence_and_his_quotes_are_quoted() -> None:
    found = fragments('Mr. Grey nods. Bob enters (with Alice). "Carol leaves," says he.', narrator=True)
    assert [piece.kind for piece in found] == ["action", "action", "quoted", "action"]
    assert "Alice" in found[1].text


def test_no_text_no_pieces() -> None:
    assert kinds("") == kinds(" \n ") == []
