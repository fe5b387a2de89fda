"""Fifty ways to get a rule file wrong. Each gives one clear error, which quotes the mistake and names its line."""

import time
from pathlib import Path
from typing import NamedTuple

import pytest

from earwitness.errors import EarwitnessError
from earwitness_relationships.rules import read_rules

LONGEST = 2_048


class BadFile(NamedTuple):
    kind: str
    text: str
    line: int | None
    """Counted from 1; `None` = the mistake has no line, as in a file that is not text."""
    quotes: tuple[str, ...]
    suffix: str = ".yaml"


GROUP = "tavern:\n  members: [alice, bob, greta]\n"


def rules(line: str) -> str:
    """A file whose fourth line is an option."""
    return f"{GROUP}  rules:\n    {line}\n"


def member(text: str) -> str:
    """A file whose third line is a member."""
    return f"tavern:\n  members:\n    - {text}\n"


def edge(text: str) -> str:
    """A file whose fourth line is a relationship."""
    return f"{GROUP}  relationships:\n    - {text}\n"


BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{b}: &{b} [{','.join([f'*{a}'] * 9)}]\n" for a, b in ("ab", "bc", "cd", "de", "ef", "fg", "gh", "hi")
)

BAD_FILES = (
    # what is not a rule file at all
    BadFile("empty", "", None, ()),
    BadFile("a comment and nothing else", "# rules\n", None, ()),
    BadFile("a list", "- alice\n- bob\n", None, ()),
    BadFile("a word", "gossip\n", None, ()),
    BadFile("a number", "42\n", None, ()),
    BadFile("another ending", GROUP, None, (".rules",), ".rules"),
    BadFile("broken YAML", "tavern: [alice\nbob: {\n", 1, ()),
    BadFile("a tab", "tavern:\n\tmembers: [alice]\n", 2, ()),
    BadFile("broken JSON", '{"slug": "tavern",\n "members": [}\n', 2, (), ".json"),
    BadFile("JSON with something after it", '{"slug": "tavern"} {"slug": "inn"}\n', 1, (), ".json"),
    BadFile("broken TOML", 'slug = "tavern"\nmembers = [\n', None, (), ".toml"),
    BadFile("the same key twice in YAML", f"{GROUP}  members: [dora]\n", 3, ("members",)),
    BadFile("the same key twice in JSON", '{"slug": "tavern",\n "slug": "inn"}\n', 2, ("slug",), ".json"),
    BadFile("bytes that are not text", "tavern:\n  name: \udcff\udcfe\n", None, ()),
    BadFile("JSON with a number that is none", '{"inn":\n {"rules": {"chance": NaN}}}\n', 2, ("NaN",), ".json"),
    BadFile("half a character in JSON", '{"inn":\n {"name": "\\ud800"}}\n', 2, (r"\ud800",), ".json"),
    BadFile("half a character in YAML", 'inn:\n  name: "\\ud800"\n', 2, (r"\ud800",)),
    BadFile("a list for a key", "tavern:\n  ? [alice, bob]\n  : 3\n", 2, ("[alice, bob]",)),
    BadFile("a table for a key", rules("? {max_hops: 1}\n    : 3"), 4, ("{max_hops: 1}",)),
    # texts that would take all memory or time, or run something
    BadFile("a YAML bomb", BOMB, None, ()),
    BadFile("an alias within itself", "tavern: &x\n  members: [*x]\n", 1, ()),
    BadFile("a Python object in YAML", "tavern: !!python/object/apply:os.system ['true']\n", 1, ("python",)),
    BadFile("ten thousand levels of JSON", "[" * 10_000 + "]" * 10_000, None, (), ".json"),
    BadFile("ten thousand levels of YAML", "[" * 10_000 + "]" * 10_000, None, ()),
    BadFile("a number of a hundred thousand digits", rules(f"max_hops: {'9' * 100_000}"), 4, ("digits",)),
    BadFile("a number of four hundred digits", rules(f"max_hops: {'9' * 400}"), 4, ("number", "digits")),
    BadFile("a slug of a hundred thousand letters", f"{'x' * 100_000}:\n  members: [alice]\n", None, ()),
    # names
    BadFile(
        "an unknown option",
        rules("share_dirct_interactions: true"),
        4,
        ("share_dirct_interactions", "share_direct_interactions"),
    ),
    BadFile(
        "an unknown option in a list", rules("[gossip_about_other]"), 4, ("gossip_about_other", "gossip_about_others")
    ),
    BadFile("an unknown key of a pantheon", "tavern:\n  member: [alice]\n", 2, ("member", "members")),
    BadFile("an unknown key of a member", member("{id: alice, roll: leader}"), 3, ("roll", "role")),
    BadFile("an unknown key of a relationship", edge("{from: alice, into: bob}"), 4, ("into",)),
    BadFile("an unknown key of a budget", rules("budget: {messages: 3}"), 4, ("messages", "message")),
    BadFile("an unknown key of the conditions", rules("conditions: {flag: war}"), 4, ("flag", "flags")),
    BadFile("an unknown role", member("{id: alice, role: leeder}"), 3, ("leeder", "leader")),
    BadFile("an unknown manner", rules("as: gosip"), 4, ("gosip", "gossip")),
    BadFile("an unknown moment", rules("when: later"), 4, ("later", "message", "conversation")),
    BadFile("an unknown recipient", rules("propagate_all: {to: everybody}"), 4, ("everybody", "all_members")),
    BadFile("two spellings of one option", rules("{max_hops: 1, maxHops: 2}"), 4, ("maxHops", "max_hops")),
    BadFile("a slug that is Cypher", '"x`}) DETACH DELETE (n) //":\n  members: [alice]\n', 1, ("DETACH",)),
    BadFile("a personality that is Cypher", member('"alice\'}) MATCH (n) DETACH DELETE n //"'), 3, ("DETACH",)),
    BadFile(
        "a relation type that is Cypher", edge('{from: alice, to: bob, type: "KNOWS]->() DELETE"}'), 4, ("KNOWS]",)
    ),
    BadFile("a personality without a letter", member('""'), 3, ("personality",)),
    BadFile("a personality that nobody can see", member('"\\u200b"'), 3, ()),
    BadFile("a personality that is a number", member("42"), 3, ("42",)),
    # wrong types
    BadFile("a word for true", rules("gossip_about_others: maybe"), 4, ("maybe",)),
    BadFile("hops by halves", rules("max_hops: 1.5"), 4, ("1.5",)),
    BadFile("a word for a number", rules("delay: soon"), 4, ("soon",)),
    BadFile("a number for those to share with", rules("share_with: 3"), 4, ("3",)),
    BadFile("members that are a number", "tavern:\n  members: 7\n", 2, ("7",)),
    BadFile("rules that are a number", f"{GROUP}  rules: 7\n", 3, ("7",)),
    BadFile("a pantheon that is a word", "tavern: gossip\n", 1, ("gossip",)),
    BadFile("relationships that are a table", f"{GROUP}  relationships: {{alice: bob}}\n", 3, ("relationships",)),
    # numbers out of bounds
    BadFile("a chance above one", rules("chance: 1.5"), 4, ("1.5",)),
    BadFile("a negative delay", rules("delay: -2"), 4, ("-2",)),
    BadFile("an endless delay", rules("delay: .inf"), 4, ("inf",)),
    BadFile("a decay that is not a number", rules("decay: .nan"), 4, ("nan",)),
    BadFile("a million hops", rules("max_hops: 1000000"), 4, ("1000000",)),
    BadFile("a negative fan-out", rules("fan_out: -1"), 4, ("-1",)),
    BadFile("a weight beyond all bounds", edge("{from: alice, to: bob, weight: 1e300}"), 4, ("weight",)),
    BadFile("a membership that ends before it begins", member("{id: alice, since: 5, until: 3}"), 3, ("5", "3")),
    # what contradicts itself
    BadFile("a member twice", member("alice\n    - alice"), 4, ("alice",)),
    BadFile("a relationship with oneself", edge("{from: alice, to: alice}"), 4, ("alice",)),
    BadFile("a relationship twice", edge("{from: alice, to: bob}\n    - {from: alice, to: bob}"), 5, ("alice", "bob")),
    BadFile("a relationship that is a list", edge("[alice, bob]"), 4, ("alice", "keys with values")),
    BadFile("a relationship that is a name", edge("alice"), 4, ("alice", "keys with values")),
    BadFile("a relationship without an end", edge("{from: alice}"), 4, ("to",)),
    BadFile("a member without an id", member("{role: leader}"), 3, ("personality",)),
    BadFile("a pantheon without a slug", "pantheons:\n  - members: [alice]\n", 2, ("slug",)),
    BadFile("two pantheons of one slug", "pantheons:\n  - slug: inn\n  - slug: inn\n", 3, ("inn",)),
    BadFile("a feed that is not a relation", f"{GROUP}feeds: {{item_acquired: 3}}\n", 3, ("item_acquired",)),
)


def test_there_are_at_least_fifty_kinds() -> None:
    assert len({each.kind for each in BAD_FILES}) >= 50


@pytest.mark.parametrize("bad", BAD_FILES, ids=lambda bad: bad.kind)
def test_a_bad_rule_file_gives_one_clear_error(bad: BadFile, tmp_path: Path) -> None:
    file = tmp_path / f"rules{bad.suffix}"
    file.write_bytes(bad.text.encode("utf-8", "surrogateescape"))
    started = time.thread_time()
    with pytest.raises(EarwitnessError) as raised:
        read_rules(file)
    message = str(raised.value)
    assert time.thread_time() - started < 8
    assert len(message.encode("utf-8", "replace")) < LONGEST
    assert file.name in message
    assert [each for each in bad.quotes if each not in message] == []
    assert " problems." not in message, message
    if bad.line is not None:
        assert f"{file.name}:{bad.line}:" in message, message
