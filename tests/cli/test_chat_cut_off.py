"""`earwitness chat`: answers that are cut off, or that the server stops."""

import pytest

from earwitness_plugins.testing.model import ScriptedAnswer, ScriptedModel

from .conftest import Chat, Run, in_order, told


def test_an_answer_that_is_cut_says_what_came_and_is_not_said(chat: Chat, model: ScriptedModel, run: Run) -> None:
    model.script = in_order(ScriptedAnswer("I have seen " + "many " * 20 + "keys.", drop="midway"), "There is one key.")
    for words in ((), ("--json",)):
        result = chat("Bob, how many keys?", words=words)
        (failed,) = (line for line in result.stderr.splitlines() if line.startswith("! "))
        assert failed.startswith("! Bob's answer was cut off after 'I have seen many")
        assert "so nothing of it was said" in failed
        assert "/reroll asks again" in failed
        model.script = in_order(ScriptedAnswer("I have seen " + "many " * 20 + "keys.", drop="midway"), "One key.")
    assert not told(run("who-knows", "cellar", "I have seen many keys", "--json"))[0]["knowers"]["alice"]["memory_id"]
    model.script = in_order("There is one key.")
    assert "There is one key." in chat("/reroll").stdout


@pytest.mark.parametrize(
    ("finish", "why"), [("error", "ended its answer with an error"), ("content_filter", "by a content filter")]
)
def test_an_answer_that_the_server_stopped_is_not_said(
    chat: Chat, model: ScriptedModel, run: Run, finish: str, why: str
) -> None:
    half = ScriptedAnswer("I have seen many keys in the", finish=finish)
    model.script = in_order(half, half, "There is one key.")
    result = chat("Bob, how many keys?")
    (failed,) = (line for line in result.stderr.splitlines() if line.startswith("! "))
    assert failed.startswith("! Bob's answer was cut off after 'I have seen many")
    assert why in failed
    assert not told(run("who-knows", "cellar", "I have seen many keys", "--json"))[0]["knowers"]["alice"]["memory_id"]
    model.script = in_order("There is one key.")
    assert "There is one key." in chat("/reroll").stdout
