"""What a message tells that somebody has done: only where it is sure."""

from __future__ import annotations

import pytest

from earwitness.records.character import Character, as_cast
from earwitness_plugins.detectors.text.names import Names
from earwitness_plugins.world_agents.actions import Action, actions

CAST = as_cast(
    [
        "alice",
        Character("bob", aliases=["Robert"]),
        "charlie",
        Character("queen", name="Queen Mab"),
        Character("voice", name="Voice", kind="narrator"),
    ]
)
NAMES = Names(CAST.members)


def told(action: Action) -> str:
    """`bob picked up the map`, `alice handed the map → bob`."""
    whom = f" → {action.person}" if action.person and action.thing else action.person or ""
    return f"{action.actor} {action.past} {action.thing.words if action.thing else ''}{whom}"


def read(speaker: str, content: str) -> list[str]:
    return [told(action) for action in actions(content, CAST[speaker], NAMES)]


SURE = [
    # acquired
    ("alice", "*picks up the Sacred Sword*", ["alice picked up the Sacred Sword"]),
    ("alice", "*picks the Sacred Sword up*", ["alice picked up the Sacred Sword"]),
    ("alice", "*I pick up the sword*", ["alice picked up the sword"]),
    ("alice", "*quickly snatches the letter from Bob*", ["alice snatched the letter → bob"]),
    ("alice", "*takes the key.* Thank you.", ["alice took the key"]),
    ("alice", "*smiles and pockets the coin*", ["alice pocketed the coin"]),
    ("alice", "*looks around, then picks up a lamp*", ["alice picked up a lamp"]),
    ("alice", "_takes the rope_ Fine.", ["alice took the rope"]),
    ("alice", "*hands Bob his own hat*", ["alice handed the hat → bob"]),
    ("alice", "(takes the torch) Follow me.", ["alice took the torch"]),
    ("alice", "/me buys the lute from Charlie", ["alice bought the lute → charlie"]),
    ("alice", "Alice steals Bob's purse.", ["alice stole Bob's purse"]),
    ("alice", '"Mine." Alice took the crown. "At last."', ["alice took the crown"]),
    ("alice", '"Mine," she says, and takes the map.', ["alice took the map"]),
    (
        "alice",
        "*walks over to the table and retrieves the old map of Camelot*",
        ["alice retrieved the old map of Camelot"],
    ),
    ("voice", "Bob picks up the map. Charlie leaves.", ["bob picked up the map"]),
    ("voice", "Bob took the dagger from Alice.", ["bob took the dagger → alice"]),
    ("voice", "With a grin, Robert grabs the lantern.", ["bob grabbed the lantern"]),
    ("voice", "Queen Mab accepts the golden ring.", ["queen accepted the golden ring"]),
    ("voice", "Bob laughs. He picks up the bottle.", ["bob picked up the bottle"]),
    (
        "voice",
        "Bob collects the scrolls, and Alice takes the map.",
        ["bob collected the scrolls", "alice took the map"],
    ),
    # given
    ("alice", "Alice gives Bob the map", ["alice gave the map → bob"]),
    ("alice", "*hands the map to Bob*", ["alice handed the map → bob"]),
    ("alice", "*hands Bob the map* Keep it safe.", ["alice handed the map → bob"]),
    ("alice", "*hands the map over to Robert*", ["alice handed the map → bob"]),
    ("alice", "*hands her map back to Bob*", ["alice handed the map → bob"]),
    ("alice", "*gives Bob back his sword*", ["alice gave the sword → bob"]),
    ("alice", "*passes the bread to Charlie with a nod*", ["alice passed the bread → charlie"]),
    ("alice", "*sells Bob a pistol*", ["alice sold a pistol → bob"]),
    ("bob", "*watches. Alice hands me the letter.*", ["alice handed the letter → bob"]),
    ("voice", "Alice hands Bob the Book of Kells, smiling.", ["alice handed the Book of Kells → bob"]),
    ("voice", "Slowly, Alice slips the key to Bob.", ["alice slipped the key → bob"]),
    # lost
    ("alice", "*drops the sword*", ["alice dropped the sword"]),
    ("alice", "*puts down the lamp and sits*", ["alice put down the lamp"]),
    ("alice", "*puts the lamp down on the table*", ["alice put down the lamp"]),
    ("alice", "*throws away the letter*", ["alice threw away the letter"]),
    ("alice", "*eats the apple*", ["alice ate the apple"]),
    ("voice", "Charlie loses the ring in the river.", ["charlie lost the ring"]),
    ("voice", "Bob drank the potion.", ["bob drank the potion"]),
    # deeds
    ("alice", "*slaps Bob*", ["alice slapped bob"]),
    ("alice", "*grabs Bob's arm*", ["alice grabbed Bob's arm → bob"]),
    ("alice", "*breaks Bob's lute*", ["alice broke Bob's lute"]),
    ("alice", "*hides the Sacred Sword under the floor*", ["alice hid the Sacred Sword"]),
    ("voice", "Bob kisses Alice on the cheek, and she slaps him.", ["bob kissed alice"]),
    ("voice", "Alice bandages Bob and unties Charlie.", ["alice bandaged bob", "alice untied charlie"]),
    ("bob", '"No!" Alice stabbed me. "Why?"', ["alice stabbed bob"]),
]
UNSURE = [
    ("voice", "Alice picks up the imaginary sword."),
    ("alice", "*hands Bob a pretend crown*"),
    # said, thought, written
    ("alice", "I pick up the sword."),
    ("alice", '"I pick up the sword."'),
    ("alice", '*smiles* "Bob takes the map."'),
    ("charlie", "Alice gives Bob the map"),
    ("alice", "*thinks: I take the key*"),
    ("alice", "[takes the key]"),
    ("alice", "((takes the key))"),
    ("alice", "*whispers to Bob and hands him the map* Go."),
    ("alice", "*whispers to Bob and hands Bob the map* Go."),
    ("voice", '"I take the key," says Bob.'),
    ("voice", "Bob says that Alice takes the key."),
    ("voice", "Bob says, Alice takes the key."),
    ("voice", "In his dream, Bob takes the sword."),
    ("voice", "In the old story, Bob takes the sword."),
    ("voice", "Bob remembers: Alice takes the sword."),
    # not, not yet, not any more
    ("alice", "*does not pick up the sword*"),
    ("alice", "*doesn't take the sword*"),
    ("voice", "Bob never took the map."),
    ("voice", "Nobody takes the map, and Bob drops the key."),
    ("voice", "Bob almost drops the sword."),
    ("voice", "Bob will take the map."),
    ("voice", "Bob'll take the map."),
    ("voice", "Bob is going to take the map."),
    ("voice", "Bob tries to pick up the map."),
    ("voice", "Bob wants the map, takes the key."),
    ("voice", "If Bob takes the map, Alice takes the key."),
    ("voice", "Alice would have taken the map."),
    ("voice", "Bob took the map yesterday."),
    ("voice", "Bob had taken the map."),
    ("voice", "Bob is taking the map."),
    ("voice", "Does Bob take the map, and Alice takes the key?"),
    ("voice", "Take the map, Bob!"),
    ("alice", "*pick up the sword*"),
    ("alice", "*put down the sword*"),
    ("alice", "*offers Bob the map*"),
    # another subject
    ("alice", "*watches as Bob's friend picks up the sword*"),
    ("alice", "*the guard picks up the sword*"),
    ("alice", "*Bob's brother takes the sword*"),
    ("alice", "*Bob and Charlie took the sword*"),
    ("alice", "*nods to the guard, who takes the sword*"),
    ("alice", "*the guard enters and takes the sword*"),
    ("alice", '"Look!" Bob comes in. He picks up the sword.'),
    ("voice", "picks up the sword"),
    ("voice", "Bob and Alice talk. He takes the sword."),
    ("voice", "The sword is taken by Bob."),
    ("voice", "Alice, handed the map by Bob, smiles."),
    ("voice", "Alice is handed the map."),
    ("voice", "Zorro takes the sword."),
    ("voice", "You take the sword."),
    ("voice", "They take the sword."),
    # nothing that one has
    ("alice", "*takes a step back*"),
    ("alice", "*takes a deep breath*"),
    ("alice", "*takes off the hat*"),
    ("alice", "*takes it*"),
    ("alice", "*picks up the pace*"),
    ("alice", "*picks up where she left off*"),
    ("alice", "*picks the lock*"),
    ("alice", "*gives Bob a smile*"),
    ("alice", "*gives Bob a look*"),
    ("alice", "*gives Bob the creeps*"),
    ("alice", "*gives up*"),
    ("alice", "*gives the map to the guard*"),
    ("alice", "*gives the map to Bob's brother*"),
    ("alice", "*passes Bob*"),
    ("alice", "*hands Bob over to Charlie*"),
    ("alice", "*hands him the map*"),
    ("alice", "*drops the subject*"),
    ("alice", "*drops her gaze*"),
    ("alice", "*loses her temper*"),
    ("alice", "*loses the game*"),
    ("alice", "*puts down the rebellion*"),
    ("alice", "*eats lunch*"),
    ("alice", "*grabs a seat*"),
    ("alice", "*takes Bob's side*"),
    ("alice", "*takes the stairs to the sword room*"),
    ("alice", "*finds a way*"),
    ("alice", "*hits the road*"),
    ("alice", "*breaks the silence*"),
    ("alice", "*takes the map Bob drew*"),
    ("alice", "*pockets her pride*"),
    ("alice", "*steals a glance at Bob*"),
    ("alice", "*steals Bob's heart*"),
    ("alice", "*sells Bob a lie*"),
    ("alice", "*buys time*"),
    ("alice", "*sets down the law*"),
    ("alice", "*throws her life away*"),
    ("alice", "*drops a hint about the map*"),
    ("voice", "Alice takes the King hostage."),
    ("voice", "Alice took the Northern Road."),
    ("voice", "Bob takes Monday off."),
    ("voice", "Bob takes the phone call."),
    ("voice", "Bob picks up the slack."),
    ("voice", "Bob picks up Charlie from school."),
    ("voice", "The innkeeper hands Bob a key."),
    ("voice", "Bob and the guard took the key."),
]


@pytest.mark.parametrize(("speaker", "content", "expected"), SURE)
def test_a_plain_action_is_read(speaker: str, content: str, expected: list[str]) -> None:
    assert read(speaker, content) == expected


@pytest.mark.parametrize(("speaker", "content"), UNSURE)
def test_what_is_not_sure_is_not_read(speaker: str, content: str) -> None:
    assert read(speaker, content) == []


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("*finds the wyrmling*", "alice found the wyrmling"),
        ("*takes Excalibur from the stone*", "alice took Excalibur"),
    ],
)
def test_a_noun_that_means_a_thing_in_this_story_is_one(content: str, expected: str) -> None:
    assert read("alice", content) == []
    (action,) = actions(content, CAST["alice"], NAMES, known={"wyrmling", "excalibur"})
    assert told(action) == expected


def test_an_action_keeps_the_stretch_that_tells_it() -> None:
    (action,) = actions('*picks up the map* "Here!"', CAST["alice"], NAMES)
    assert action.text == "*picks up the map*"
    assert action.thing is not None
    assert (action.thing.name, action.thing.head, action.effect) == ("map", "map", "acquired")


def test_a_very_long_message_is_not_read() -> None:
    assert len(read("alice", "*picks up the map.* " * 500)) == 500
    assert read("alice", "*picks up the map.* " * 5000) == []
