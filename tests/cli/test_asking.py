"""The commands that ask about a story that was played."""

import re
from collections import Counter
from pathlib import Path

import pytest

from .commands import first_memory
from .conftest import STORY, Run, answer, told

GOSSIP = """
from earwitness.events import Share

class Gossip:
    def share(self, event):
        if "charlie" not in event.message.participants:
            yield Share(character="charlie", shared_from="bob", rule="bob talks")
"""


def test_recall_says_what_comes_to_mind_and_why(played: Run) -> None:
    found = answer(played("recall", "cellar", "bob", "the key under the barrel", "--json"))
    assert found["memories"][0]["text"].startswith("Alice: Bob, there is a key")
    assert "words" in found["memories"][0]["why"]
    shown = played("recall", "cellar", "Bob", "the key").stdout
    assert "Bob remembers" in shown
    assert found["memories"][0]["id"] in shown


def test_days_are_called_as_the_calendar_says(run: Run, story: Path, folder: Path) -> None:
    (folder / "earwitness.toml").write_text('[calendar]\nunit = "night"\n', "utf-8")
    secret = "the key under the third barrel"
    shown = [
        run("play", str(story)).stdout,
        run("who-knows", "cellar", secret).stdout,
        run("explain", first_memory(run, "bob")).stdout,
        run("recall", "cellar", "bob", secret).stdout,
        run("inspect", "cellar").stdout,
        run("inspect", "cellar", "bob").stdout,
    ]
    assert all("night 5" in each or "night 6" in each for each in shown)
    assert not any(re.search(r"\bday \d", each) for each in shown)
    (memory,) = answer(run("inspect", "cellar", "bob", "--filter", "gameDay=5", "--json"))["memories"][:1]
    assert memory["content"].endswith("GameDay: 5")


def test_recall_brings_back_so_many_at_most(played: Run) -> None:
    assert len(answer(played("recall", "cellar", "bob", "key", "--memories", "1", "--json"))["memories"]) == 1


def test_recall_as_before_a_message_holds_nothing_of_it_and_an_unknown_key_is_named(played: Run) -> None:
    said = [each for each in told(played("export", "cellar")) if each["kind"] == "entry"]
    first = next(each["entry"]["key"] for each in said if each["entry"]["body"]["kind"] == "said")
    now, then = (
        answer(played("recall", "cellar", "bob", "key", *more, "--json")) for more in ((), ("--before", first))
    )
    assert now["total"] > then["total"] == 0
    assert "unknown key 'm99'" in played("recall", "cellar", "bob", "--before", "m99").stderr


def test_recall_without_a_question_follows_the_recent_messages(played: Run) -> None:
    assert answer(played("recall", "cellar", "alice", "--json"))["query"] is None


def test_recall_with_an_empty_question_is_recall_without_one(played: Run) -> None:
    assert answer(played("recall", "cellar", "alice", "", "--json"))["query"] is None


def test_a_newcomer_recalls_nothing_from_before(played: Run) -> None:
    found = answer(played("recall", "cellar", "charlie", "the key under the barrel", "--json"))
    assert not any("barrel" in memory["text"] for memory in found["memories"])


def test_who_knows_answers_for_everybody_with_the_memory_that_proves_it(played: Run) -> None:
    found = answer(played("who-knows", "cellar", "the key under the third barrel", "--json"))["knowers"]
    assert {id: knower["learned"] for id, knower in found.items()} == {
        "alice": {"way": "said", "teller": "alice"},
        "bob": {"way": "heard", "teller": "alice"},
        "charlie": None,
    }
    shown = played("who-knows", "cellar", "the key under the third barrel").stdout
    assert found["bob"]["memory_id"] in shown
    assert "heard it from Alice on day 5" in shown
    assert shown.count("found in: Alice: Bob, there is a key under the third barrel.") == 1


def test_inspect_lists_stories_then_the_cast_then_memories(played: Run) -> None:
    assert answer(played("inspect", "--json")) == ["cellar"]
    overview = answer(played("inspect", "cellar", "--json"))
    assert overview["state"]["game_day"] == 6
    world = answer(played("inspect", "cellar", "world", "--json"))
    assert "Message: Alice: Bob, there is a key under the third barrel. GameDay: 5" in {
        memory["content"] for memory in world["memories"]
    }
    for words in (["inspect"], ["inspect", "cellar"], ["inspect", "cellar", "world"], ["inspect", "cellar", "Alice"]):
        assert played(*words).exit_code == 0


def test_inspect_says_what_models_cost_in_a_story(played: Run) -> None:
    assert played("inspect", "cellar", "--costs").stdout == "no model was asked\n"
    assert answer(played("inspect", "cellar", "--costs", "--json")) == {"parts": []}
    refused = played("inspect", "cellar", "world", "--costs")
    assert refused.exit_code != 0
    assert "inspect SESSION --costs" in refused.output


def test_inspect_filters_by_metadata_in_either_spelling(played: Run) -> None:
    def shown(*filters: str) -> list[str]:
        words = [word for test in filters for word in ("--filter", test)]
        return [each["content"] for each in answer(played("inspect", "cellar", "world", *words, "--json"))["memories"]]

    assert shown("type==world_state_update") == ["The moon rose over the yard. GameDay: 6"]
    assert len(shown("game_day<=5", "speaker==alice")) == 1
    assert shown("gameDay>6") == []


def test_inspect_says_how_many_match_and_what_a_filter_that_matches_nothing_may_have_meant(played: Run) -> None:
    def inspected(*words: str) -> str:
        return played("inspect", "cellar", "world", *words).output

    total = answer(played("inspect", "cellar", "world", "--json"))["total"]
    assert f"1 of {total} memories" in inspected("--filter", "type==world_state_update")
    assert f"1–1 of 3 memories that match, of {total}" in inspected("--filter", "type==message", "--limit", "1")
    slip = inspected("--filter", "gameday==5")
    assert f"none of {total} memories" in slip
    assert "no memory here has 'gameday'. Did you mean 'gameDay'?" in slip
    assert "speaker is never 'Alice' here. Did you mean 'alice'? It is: alice, bob, charlie." in inspected(
        "--filter", "speaker==Alice"
    )
    assert "Warning" not in inspected("--filter", "gameDay>6")


def test_inspect_shows_one_page(played: Run) -> None:
    page = answer(played("inspect", "cellar", "world", "--limit", "1", "--offset", "1", "--json"))
    assert len(page["memories"]) == 1
    assert page["total"] > 2


def test_explain_finds_a_memory_in_any_story_and_tells_how_it_got_there(played: Run) -> None:
    memory = first_memory(played, "bob")
    assert answer(played("explain", memory, "--json"))["owner"] == "bob"
    shown = [line.strip() for line in played("explain", memory, "--session", "cellar").stdout.splitlines()]
    assert shown[:2] == [
        "Bob remembers what Alice said on day 5 (message 3, key 'cellar:1'):",
        "“Bob, there is a key under the third barrel.”",
    ]
    assert shown[2].startswith("heard it from Alice on day 5: ")


def test_explain_takes_the_beginning_of_an_id_and_lists_those_it_fits(played: Run) -> None:
    memory = first_memory(played, "bob")
    assert answer(played("explain", memory[:12], "--json"))["memory_id"] == memory
    shelves = [answer(played("inspect", "cellar", owner, "--json")) for owner in ("alice", "bob", "charlie", "world")]
    digits = Counter(each["id"][0] for shelf in shelves for each in shelf["memories"])
    ((digit, count),) = digits.most_common(1)
    result = played("explain", digit)
    assert result.exit_code == 2
    assert f"{count} ids begin with {digit!r}: " in result.stderr


def test_explain_walks_back_from_teller_to_teller_by_name(
    run: Run, story: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "gossip_of_the_tests.py").write_text(GOSSIP, "utf-8")
    (folder / "earwitness.toml").write_text('sharing_rules = ["gossip_of_the_tests.Gossip"]\n', "utf-8")
    monkeypatch.syspath_prepend(str(folder))
    assert run("play", str(story)).exit_code == 0
    told_of = answer(run("who-knows", "cellar", "the key under the third barrel", "--json"))["knowers"]["charlie"]
    shown = [line.strip() for line in run("explain", told_of["memory_id"]).stdout.splitlines()]
    assert shown[:5] == [
        "Charlie remembers what Alice said on day 5 (message 3, key 'cellar:1'):",
        "“Bob, there is a key under the third barrel.”",
        "was told by Bob on day 5: bob talks",
        "Bob remembers what Alice said on day 5 (message 3, key 'cellar:1'):",
        "heard it from Alice on day 5: spoken to by name; here since message 1",
    ]
    assert " ".join(shown[5:]).strip() == (
        "In short: Charlie was told by Bob on day 5 (bob talks), who heard it from Alice on day 5."
    )


def test_what_happened_is_explained_and_recalled_without_headings(run: Run, folder: Path) -> None:
    later = STORY + "  - charlie: Brr.\n"
    (folder / "later.yaml").write_text(later, "utf-8")
    assert run("play", "later.yaml").exit_code == 0
    recalled = run("recall", "cellar", "charlie").stdout
    assert "– The moon rose over the yard. (day 6)" in recalled
    assert "news of the world" in recalled
    happened = answer(run("inspect", "cellar", "world", "--filter", "type==world_state_update", "--json"))["memories"]
    explained = run("explain", happened[0]["id"]).stdout
    assert "The world remembers what happened on day 6" in explained
    assert "###" not in recalled + explained


def test_preview_says_who_would_learn_it_and_writes_nothing(played: Run) -> None:
    before = answer(played("inspect", "cellar", "world", "--json"))["total"]
    found = answer(played("preview", "--speaker", "charlie", "--context", "dm", "Psst, Alice.", "--json"))
    assert set(found["participants"]) == {"charlie", "alice"}
    assert "● Charlie said it" in played("preview", "--speaker", "charlie", "Hello all.").stdout
    assert answer(played("inspect", "cellar", "world", "--json"))["total"] == before


DISCREET = """
class Discreet:
    def filter(self, event):
        from earwitness import ReadAnswer
        from earwitness.filters import equals

        if event.channel.guild_id == "g-1":
            return ReadAnswer(unsayable=equals("speaker", "alice"), reason="not before strangers")
        return ReadAnswer()

    def strike(self, event):
        return ()
"""


def test_recall_and_preview_say_in_which_channel(played: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "discreet_of_the_tests.py").write_text(DISCREET, "utf-8")
    (folder / "earwitness.toml").write_text('guards = ["discreet_of_the_tests.Discreet"]\n', "utf-8")
    monkeypatch.syspath_prepend(str(folder))
    recall = ["recall", "cellar", "bob", "the key under the barrel"]
    marked = {memory["unsayable"] for memory in answer(played(*recall, "--guild", "g-1", "--json"))["memories"]}
    assert marked == {None, "not before strangers"}
    assert {memory["unsayable"] for memory in answer(played(*recall, "--json"))["memories"]} == {None}
    assert "not to be said here: not before strangers" in played(*recall, "--guild", "g-1").stdout
    options = ["--context", "public_channel", "--channel", "42", "--guild", "g-2"]
    found = answer(played("preview", "--speaker", "charlie", "Hello.", *options, "--json"))["message"]["channel"]
    assert found == {"context": "public_channel", "channel_id": "42", "guild_id": "g-2", "persona_id": None}


def test_recall_takes_a_filter(played: Run) -> None:
    recall = ["recall", "cellar", "bob", "key"]
    everything = answer(played(*recall, "--json"))["memories"]
    day_6 = answer(played(*recall, "--filter", "gameDay=6", "--json"))["memories"]
    assert 0 < len(day_6) < len(everything) or not day_6
    assert {memory["id"] for memory in day_6} < {memory["id"] for memory in everything}
    nothing = played(*recall, "--filter", 'location = "tavren"', "--filter", "gameDay<=9")
    assert "nothing" in nothing.stdout
    assert "location is never 'tavren' here. Did you mean 'tavern'?" in nothing.stderr
    assert played(*recall, "--filter", "nonsense").exit_code == 2


def test_preview_takes_a_word_on_who_is_present(played: Run) -> None:
    words = ["preview", "--speaker", "charlie", "--session", "cellar", "--present", "charlie", "--present", "bob"]
    assert set(answer(played(*words, "Hm.", "--json"))["participants"]) == {"charlie", "bob"}


def test_preview_tells_who_is_there_from_who_perceives_it(played: Run) -> None:
    words = ["preview", "--speaker", "charlie", "--session", "cellar", "--json", '"Welcome." [I poisoned his wine.]']
    there = answer(played(*words, "--present", "bob"))
    heard = {each["owner"]: each["body"] for each in there["deliveries"] if each["part"] == "message"}
    assert "Welcome" in heard["bob"]
    assert "poisoned" not in heard["bob"]
    perceives = answer(played(*words, "--audience", "bob", "--place", "attic"))
    assert set(perceives["participants"]) == {"charlie", "bob"}
    assert perceives["message"]["scene"] == "attic"
    assert "poisoned" in next(each["body"] for each in perceives["deliveries"] if each["owner"] == "bob")


def test_edit_corrects_who_is_there_and_who_perceives_it(played: Run) -> None:
    edit = ["edit", "cellar", "plan", "Then we dig never."]
    assert set(answer(played(*edit, "--audience", "charlie", "--json"))["participants"]) == {"bob", "charlie"}
    refused = played(*edit, "--reroll", "--present", "alice")
    assert refused.exit_code == 2
    assert "--reroll keeps who is there" in refused.stderr
