"""The detectors beside `rules`: recent speakers, mentions, places, presence, and the vote among them."""

from collections.abc import Callable
from typing import Any

import pytest

from earwitness.errors import SettingsError
from earwitness_plugins.detectors.mentions import Mentions
from earwitness_plugins.detectors.places import Places
from earwitness_plugins.detectors.presence import PresenceDetector
from earwitness_plugins.detectors.recent_speakers import RecentSpeakers
from earwitness_plugins.detectors.vote import Vote, Voter

Begin = Callable[..., Any]
EVERYBODY = ("alice", "bob", "charlie")


def test_recent_speakers_are_those_of_the_last_messages(story: Begin) -> None:
    tavern = story(detector=RecentSpeakers(n=2))
    assert tavern.say("alice", "One.") == {"alice"}
    assert tavern.say("bob", "Two.") == {"alice", "bob"}
    assert tavern.say("charlie", "Three.") == {"bob", "charlie"}


def test_of_recent_speakers_the_later_one_is_surer(story: Begin) -> None:
    tavern = story(detector=RecentSpeakers(n=5))
    for speaker in EVERYBODY:
        found = tavern.judge(speaker, "Well.").characters
    assert found["bob"].probability > found["alice"].probability


def test_with_one_message_to_look_at_only_the_speaker_is_there(story: Begin) -> None:
    tavern = story(detector=RecentSpeakers(n=1))
    tavern.judge("alice", "One.")
    assert tavern.say("bob", "Two.") == {"bob"}


def test_a_narrator_is_no_recent_speaker(story: Begin) -> None:
    tavern = story(detector=RecentSpeakers())
    tavern.judge("narrator", "Night falls.")
    assert tavern.say("bob", "Two.") == {"bob"}


def test_mentions_are_all_who_are_named(story: Begin) -> None:
    tavern = story(detector=Mentions(), away=["charlie"])
    assert tavern.say("alice", "Bob, where is Charlie?") == {"alice", "bob", "charlie"}
    assert tavern.say("alice", "Nobody answers.") == {"alice"}


def test_in_places_everybody_near_hears_whatever_is_whispered(story: Begin) -> None:
    tavern = story(here=["alice", "bob"], places={"charlie": "cellar"}, detector=Places())
    assert tavern.say("alice", '*whispers to Charlie* "Come up."') == {"alice", "bob"}


def test_in_places_who_goes_elsewhere_hears_what_is_said_there(story: Begin) -> None:
    tavern = story(here=["alice", "bob"], places={"charlie": "cellar"}, detector=Places())
    tavern.judge("narrator", "Bob walks into the cellar.")
    assert tavern.say("alice", "Alone at last.") == {"alice"}
    assert tavern.say("charlie", "Ah, you.") == {"bob", "charlie"}


def test_presence_follows_comings_and_goings(story: Begin) -> None:
    tavern = story(here=["alice", "bob"], detector=PresenceDetector())
    tavern.judge("narrator", "Charlie walks in. Bob leaves.")
    assert tavern.say("alice", "Well?") == {"alice", "charlie"}


def test_a_vote_weighs_what_the_voters_believe(story: Begin) -> None:
    asked = {"presence": Voter(weight=1), "recent_speakers": Voter(weight=3)}
    tavern = story(here=EVERYBODY, detector=Vote(voters=asked))
    tavern.judge("bob", "One.")
    found = tavern.judge("alice", "Two.").characters
    assert found["bob"].probability > 0.5 > found["charlie"].probability


def test_a_vote_names_whom_it_asked_in_its_evidence(story: Begin) -> None:
    found = story(here=EVERYBODY, detector=Vote()).judge("alice", "Two.").characters
    assert any(line.startswith("rules: ") for line in found["bob"].evidence)


def test_a_vote_that_is_undecided_withholds(story: Begin) -> None:
    asked = {"presence": Voter(weight=1), "recent_speakers": Voter(weight=1)}
    split = story(here=EVERYBODY, detector=Vote(voters=asked, abstain=0.4)).judge("alice", "Hm.").characters["bob"]
    assert split.probability == 0
    assert "undecided: withheld" in split.evidence


def test_calibration_moves_a_vote(story: Begin) -> None:
    low, high = (
        story(here=EVERYBODY, detector=Vote(intercept=intercept)).judge("alice", "Hm.").characters["bob"].probability
        for intercept in (-1.0, 1.0)
    )
    assert low < high


@pytest.mark.parametrize(
    "text", ['*whispers to Bob* "Run!"', "[Charlie must not know.]", "((Charlie is late))", "(aside) Fool."]
)
def test_no_majority_lets_a_secret_out(story: Begin, text: str) -> None:
    asked = {"rules": Voter(weight=1), "everyone": Voter(weight=9), "recent_speakers": Voter(weight=9)}
    tavern = story(here=EVERYBODY, detector=Vote(voters=asked))
    tavern.judge("charlie", "Well?")
    assert "charlie" not in tavern.say("alice", text)


@pytest.mark.parametrize(
    ("voters", "complaint"),
    [
        ({"oracle": Voter()}, "no detector 'oracle'"),
        ({"rules": Voter(weight=0)}, "weight above 0"),
        ({"recent_speakers": Voter(settings={"m": 3})}, "no setting 'm'"),
    ],
)
def test_a_vote_asks_only_whom_there_is_to_ask(voters: dict[str, Voter], complaint: str) -> None:
    with pytest.raises(SettingsError, match=complaint):
        Vote(voters=voters)
