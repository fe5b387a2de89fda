"""The marks by which a model's reasoning is told from what it says."""

import pytest

from earwitness.formats import strip_reasoning

from ..durations import ever_below


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("<think>He must not know.</think>\n\nHello.", "Hello."),
        ("<THINK budget=\"3\" note='a>b'>secret</ Think >Hello.", "Hello."),
        ("<thinking>secret</thinking>Hello.", "Hello."),
        ("<reasoning>secret</reasoning>Hello.", "Hello."),
        ("<thought>secret</thought>Hello.", "Hello."),
        ("<chain_of_thought>secret</chain_of_thought>Hello.", "Hello."),
        ('<seed:think x="1">secret</seed:think>Hello.', "Hello."),
        ("<|begin_of_thought|>secret<|end_of_thought|>Hello.", "Hello."),
        ("◁think▷secret◁/think▷Hello.", "Hello."),
        ("[THINK]secret[/THINK]Hello.", "Hello."),
        ("&lt;think&gt;secret&lt;/think&gt;Hello.", "Hello."),
        ("<|channel|>analysis<|message|>secret<|end|><|start|>assistant<|channel|>final<|message|>Hello.", "Hello."),
        ("secret</think>Hello.", "Hello."),
        ("Hello. <think>secret", "Hello."),
        ("Hello. <think/>", "Hello."),
        ("<think>a<think>b</think>c</think>Hello.", "Hello."),
        ("<think>a <think> b</think>Hello.", "Hello."),
        ("Hello. <think>secret</think> Bye. <thinking>secret</thinking>", "Hello.  Bye."),
        ("Hello. <think>a<think>b</think> c <think>d", "Hello."),
        ("<think>a</thinking>Hello.", "Hello."),
        ("<thi<think>a</think>nk>secret</think>Hello.", "Hello."),
        ("<think>secret</think>", ""),
        ("```thinking\nBob must not know.\n```\nHello.", "Hello."),
        ("Hello. ```Thought secret``` Bye.", "Hello.  Bye."),
        ("``` reasoning\nsecret\n```\n\nHello.", "Hello."),
        ("~~~thoughts\nsecret\n~~~\nHello.", "Hello."),
        ("````thinking\n```py\nsecret\n```\nsecret\n````\nHello.", "Hello."),
        ("```thinking\nsecret\n```py\nsecret\n```\nHello.", "Hello."),
        ("Hello.\n```thinking\nsecret", "Hello."),
        ("```thinking\nsecret\n```\n```py\nx = 1\n```", "```py\nx = 1\n```"),
        ("<reasoning_content>secret</reasoning_content>Hello.", "Hello."),
        ("<thinking_block>secret</thinking_block>Hello.", "Hello."),
        ("<\uff5cthink\uff5c>secret<\uff5c/think\uff5c>Hello.", "Hello."),
        ("<details><summary>💭 <b>Thoughts</b></summary>secret</details>Hello.", "Hello."),
        ('<details class="thinking"><summary>Show</summary>secret</details>Hello.', "Hello."),
        ("Thinking...\nsecret\n...done thinking.\n\nHello.", "Hello."),
        ("<thinks about it>secret</thinks>Hello.", "Hello."),
    ],
)
def test_a_models_reasoning_is_no_part_of_what_it_says(said: str, kept: str) -> None:
    assert strip_reasoning(said) == kept


@pytest.mark.parametrize(
    "text",
    [
        "[thinking] He lies.",
        "<thinks about it> Hello.",
        "<planning to leave> Let us go, Bob.",
        "Thinking... He lies.\nI am ...done thinking.",
        "<thinker>a</thinker>",
        "a < b & c > d",
        "I think so.",
        "<i>He lies.</i>",
        "```py\nthinking = 1\n```",
        "```\nthinking\n```",
        "```\nx\n``` thinking of it, no.",
        "```reason\nlet x = 1\n```",
    ],
)
def test_what_only_looks_like_reasoning_stays(text: str) -> None:
    assert strip_reasoning(text) == text


@pytest.mark.parametrize(
    "text", ["`" * 100_000, "```thinking\n" * 20_000, ("`" * 16 + " ") * 6_000, "```thinking\n" + "``` x" * 20_000]
)
def test_many_blocks_are_looked_through_in_one_go(text: str) -> None:
    assert ever_below(1, lambda: strip_reasoning(text))
