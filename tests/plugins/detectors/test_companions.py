"""Whom a speaker counts in as acting with them, and who is there for it while nobody has been placed."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from earwitness import Earwitness
from earwitness.records.character import as_cast
from earwitness_plugins.detectors.text.message_reading import counted_in
from earwitness_plugins.detectors.text.names import Names

from ...durations import ever_below

Begin = Callable[..., Any]

CAST = as_cast(["alice", "bob", "charlie", "dana"])
NAMES = Names(CAST.members)
AGREED = "Bob and I agreed to find the Sacred Sword!"
WITH_BOB = (
    "Bob and I agreed to find the Sacred Sword!",
    "Today Bob and I leave.",
    "I and Bob agreed.",
    "Me and Bob found it.",
    "Bob and me will do it.",
    "Bob & I agreed.",
    "We, Bob and I, swear it.",
    "Did Bob and I agree to that?",
    "Bob and I never agreed to that.",
    "Bob and I never met the king.",
    "Bob and I have not spoken to her.",
    "Bob and I will meet him there.",
    "Bob and I met at the well.",
    "If Bob and I go, we go now.",
    "Years ago Bob and I hunted here.",
    "We agreed with Bob to find the sword.",
    "We're here with Bob.",
    "Bob is here with us.",
    "With us is Bob.",
    "The two of us — Bob and I — are going.",
    "But Bob and I'll find it.",
    "I think Bob and I should go.",
    "We will go to the cave with Bob.",
    "Last night Bob and I set out.",
    "Bob and i agreed.",
    "I agreed with Bob to find the sword.",
    "Together with Bob I found the sword.",
    "I found the sword together with Bob.",
    "Bob und ich haben beschlossen, das Schwert zu suchen.",
    "Ich habe mit Bob vereinbart, das Schwert zu suchen.",
    "Zusammen mit Bob suche ich das Schwert.",
    "Ich gehe mit Bob zusammen.",
    "Bob et moi avons décidé de partir.",
    "Moi et Bob, on y va !",
    "J'ai convenu avec Bob de partir demain.",
    "Avec Bob, nous cherchons l'épée.",
    "Bob y yo hemos decidido buscar la espada.",
    "Junto con Bob busco la espada.",
    "Io e Bob cerchiamo la spada.",
    "Insieme a Bob cerco la spada.",
    "O Bob e eu vamos à mina!",
    "Combinei com Bob que vamos amanhã.",
)
WITH_BOB_AND_CHARLIE = (
    "Bob, Charlie and I agreed.",
    "Bob and Charlie and I agreed.",
    "Me, Bob and Charlie found it.",
    "Me and Bob and Charlie found it.",
    "We set out with Bob and Charlie.",
    "Bob, Charlie, and I agreed.",
    "Bob and Charlie are with us.",
)
WITH_NOBODY = (
    "Bob and Charlie are fools.",
    "I hate Bob and Charlie.",
    "Bob and I are enemies.",
    "I met Bob and I hate him.",
    "Bob, and I mean it, is a fool.",
    "I am done with Bob.",
    "We must speak with Bob.",
    "We are angry with Bob.",
    "We go without Bob.",
    "Bob's sister and I agreed.",
    "Me and Bob's sister agreed.",
    "Charlie says Bob and I are late.",
    "I dreamt that Bob and I flew.",
    "Bob and I hate each other.",
    "Bob and I agreed before he died.",
    "This is Bob and I am Alice.",
    "They attacked Bob and me.",
    "It is between Bob and me.",
    "Bob knows what I did.",
    "We like swords, as Bob knows.",
    "Bob told me about Charlie and I laughed.",
    "We know what to do with Bob.",
    "Bob is with us in spirit.",
    "Bob and I are not friends.",
    "Bob and I fell out.",
    "Bob and I never met.",
    "Bob and I don't speak anymore.",
    "Bob and I have not spoken in years.",
    "Bob and I will meet tomorrow.",
    "Bob and I are meeting later.",
    "Bob and I were separated.",
    "Come with me and tell Bob.",
    "Bob agreed and I left.",
    "I saw Charlie, Bob and I left.",
    "Bob and I agreed by letter.",
    "If Bob is with us, we win.",
    "Bob is angry with us.",
    "We left the map with Bob.",
    "We go to talk with Bob.",
    "Bob's and my plan is good.",
    "Alice and I agreed.",
    "Nobody likes Bob but me.",
    "I agree with Bob that it is late.",
    "Bob und ich sind Feinde.",
    "Ich habe von Bob und mir geträumt.",
    "Bob et moi sommes ennemis.",
    "Bob y yo nos odiamos.",
    "Mit Bob will ich nichts zu tun haben.",
    "Avec Bob, rien ne va.",
)


def with_alice(text: str) -> tuple[str, ...]:
    return counted_in(text, CAST["alice"], NAMES)


@pytest.mark.parametrize("text", WITH_BOB)
def test_bob_acts_with_the_speaker(text: str) -> None:
    assert with_alice(text) == ("bob",)


@pytest.mark.parametrize("text", WITH_BOB_AND_CHARLIE)
def test_bob_and_charlie_act_with_the_speaker(text: str) -> None:
    assert with_alice(text) == ("bob", "charlie")


@pytest.mark.parametrize("text", WITH_NOBODY)
def test_nobody_acts_with_the_speaker_for_sure(text: str) -> None:
    assert with_alice(text) == ()


@pytest.mark.parametrize("text", ['Charlie said: "Bob and I agreed."', "[Bob and I agreed.] Hi.", "*Bob and I agree*"])
def test_what_others_said_thoughts_and_deeds_count_nobody_in(text: str) -> None:
    assert with_alice(text) == ()


@pytest.mark.parametrize("piece", ["Bob and ", "Bob, ", "we go ", "me and Bob ", "I and ", "if Bob is "])
def test_a_long_text_costs_no_more_than_its_length(piece: str) -> None:
    assert ever_below(2, lambda: with_alice(piece * 3000))


def test_before_anybody_is_placed_who_acts_with_the_speaker_is_there(story: Begin) -> None:
    tavern = story()
    presence = tavern.judge("alice", AGREED)
    bob = presence.characters["bob"]
    assert bob.role == "present"
    assert bob.probability >= 0.5
    assert bob.evidence == ("named as acting with the speaker, and nobody has been placed yet",)
    assert tavern.present == {"alice", "bob"}


def test_that_the_speaker_spoke_before_places_nobody(story: Begin) -> None:
    tavern = story()
    tavern.say("alice", "Listen!")
    assert tavern.say("alice", AGREED) == {"alice", "bob"}


@pytest.mark.parametrize("places", [{"here": ["charlie"]}, {"away": ["charlie"]}, {"places": {"dana": "cave"}}])
def test_once_somebody_is_placed_being_talked_about_is_not_being_there(story: Begin, places: dict[str, Any]) -> None:
    assert "bob" not in story(cast=CAST.members, **places).say("alice", AGREED)


def test_once_the_host_placed_the_speaker_being_talked_about_is_not_being_there(story: Begin) -> None:
    tavern = story()
    tavern.put("alice")
    assert tavern.say("alice", AGREED) == {"alice"}


def test_a_detected_entrance_places_somebody(story: Begin) -> None:
    assert story().say("alice", f'*Charlie walks in* "{AGREED}"') == {"alice", "charlie"}


@pytest.mark.parametrize(
    "text", ["(whispers to Dana) {}", '*whispers to Dana* "{}"', '*whispers to Dana* "{}" *aloud* "Oh."']
)
def test_a_whisper_keeps_its_audience(story: Begin, text: str) -> None:
    assert story(cast=CAST.members).say("alice", text.format(AGREED)) == {"alice", "dana"}


@pytest.mark.parametrize("text", ["[{}]", "*thinks: {}*", "(( {} ))"])
def test_a_thought_and_talk_out_of_character_take_nobody_along(story: Begin, text: str) -> None:
    assert story().say("alice", text.format(AGREED)) == {"alice"}


def test_who_is_spoken_to_by_name_is_the_addressee(story: Begin) -> None:
    presence = story().judge("alice", "Bob, listen. Bob and I agreed.")
    assert presence.characters["bob"].role == "addressee"
    assert [move.character for move in presence.movements].count("bob") == 1


@pytest.mark.anyio
@pytest.mark.parametrize("state", [{}, {"participants": ["alice", "bob", "charlie"]}])
async def test_the_first_flow_needs_nobody_placed(tmp_path: Path, state: dict[str, Any]) -> None:
    async with Earwitness.open(tmp_path / "story.db", strict=True) as ew:
        story = await ew.session("s1", cast=["alice", "bob", "charlie"], state=state)
        settled = await (await story.say("alice", AGREED)).settled()
        await story.delivered()
        assert list(settled.participants) == ["alice", "bob"]
        knowers = {id: bool((await story.backstage().inspect(id)).memories) for id in ("alice", "bob", "charlie")}
    assert knowers == {"alice": True, "bob": True, "charlie": False}


@pytest.mark.parametrize("text", ["Me and Bob are off to the mine!", "Bob and I are leaving now, bye!"])
def test_whoever_leaves_with_one_does_not_leave_with_all(story: Begin, text: str) -> None:
    three = story(cast=["alice", "bob", "charlie"])
    assert three.say("alice", text) == {"alice", "bob"}
