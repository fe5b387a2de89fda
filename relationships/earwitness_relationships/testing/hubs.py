"""Whether a group answers alike, written as deliveries or read in its hub: a random story is played both ways.

What every reader recalls on every day is compared: what was said by whom and when, and who told it, at which hop, on
which day, and in which words. In between messages are said, also in disguise, edited, retracted and unmasked;
told by hand, archived and restored; characters write notes on them; they join the story, members join, leave and are
removed, pantheons are removed, relations change, and such changes are retracted; flags change and days pass before
anything is decided; the story is forked, imported, and begins bubbles.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from earwitness import Channel, Character, Earwitness, Memory, Outcome, Session
from earwitness.errors import InputError, UnknownName
from earwitness.formats import message_text_of

from ..errors import RulesError
from ..propagation.records import Seed
from ..rules.records import Member, Pantheon, RelationshipRule, RuleBook, Rules
from .cases import PEOPLE, SLUGS, LeakCase, case
from .played_cases import InstanceOpener, as_file, begun, text_of

CHANGES = (
    *("edit", "retract", "retract own", "fork", "relate", "nothing", "say", "say again", "disguise", "unmask"),
    *("join the story", "join", "leave", "remove", "remove the pantheon", "tell", "archive"),
    *("reroll", "note", "take back a change", "haste", "before", "import", "bubble", "other days"),
)
"""What may happen between the days."""
NEVER, ALWAYS = 1_000, 1
"""Sizes from which on a group is read in its hub."""


class RecalledAs(NamedTuple):
    """How a reader knows a message."""

    text: str
    how: str
    teller: str
    hop: object
    strength: object
    learned: float | None
    pantheon: object
    speaker: object
    said: float | None

    @classmethod
    def of(cls, memory: Memory) -> RecalledAs:
        """From a memory, be it a copy or in a hub."""
        data = memory.metadata
        text = message_text_of(memory.content) or memory.text.partition(": ")[2]
        support = (str(data.get("interactionType")), str(data.get("sharedFrom")), data.get("hop"), data.get("strength"))
        return cls(text, *support, memory.learned_day, data.get("pantheonId"), data.get("speaker"), memory.game_day)


HubAnswers = dict[str, list[RecalledAs]]
"""Who is asked, in which story, when and where → what they recall."""


async def hub_disagreements(
    given: LeakCase, folder: Path, opener: InstanceOpener, changes: Sequence[str] = CHANGES
) -> list[str]:
    """Play a case both ways, and say who recalls something else where the group has a hub. Empty = nobody."""
    copies = await _answers(given, folder, opener, NEVER, changes)
    hubs = await _answers(given, folder, opener, ALWAYS, changes)
    return [
        f"case {given.number}, {asked}: in the hub {_but(hubs[asked], copies[asked])}, "
        f"as copies {_but(copies[asked], hubs[asked])}"
        for asked in copies
        if copies[asked] != hubs[asked]
    ]


def _but(some: Sequence[RecalledAs], others: Sequence[RecalledAs]) -> str:
    return "; ".join(map(str, [each for each in some if each not in others])) or f"nothing else ({len(some)})"


def hub_case(number: int) -> LeakCase:
    """The case of this number, in which most pantheons tell all of their members, and most members tell as they do,
    but for relationships between them."""
    given, random = case(number, messages=4), Random(-number)  # noqa: S311 - a case must be made the same again
    pantheons = [_telling_all(random, each) if random.random() < 0.95 else each for each in given.book.pantheons]
    return given.model_copy(update={"book": given.book.model_copy(update={"pantheons": tuple(pantheons)})})


def _telling_all(random: Random, pantheon: Pantheon) -> Pantheon:
    members = [_plain(random, each) for each in pantheon.members]
    there = {each.personality_id for each in members}
    joining = [Member(personality_id=each) for each in PEOPLE if each not in there and random.random() < 0.6]
    rules = Rules.model_validate({name: value for name, value in _options(random).items() if value is not None})
    edges = random.choice(((), pantheon.relationships, _couples(random, rules)))
    return pantheon.model_copy(update={"rules": rules, "members": (*members, *joining), "relationships": edges})


def _couples(random: Random, rules: Rules) -> tuple[RelationshipRule, ...]:
    """Relationships by which some tell others more, less, sooner or later than they tell everybody."""
    own: tuple[dict[str, Any], ...] = (
        *(
            {},
            {"delay": rules.delay or 0.5},
            {"delay": 0},
            {"manner": "witnessed"},
            {"decay": 0.8},
            {"reliability": 0.9},
        ),
        *({"propagate_all": False}, {"chance": 0.5}, {"share_direct_interactions": True}),
        *({"gossip_about_others": True, "delay": 1}, {"share_direct_interactions": True, "max_hops": 3, "delay": 1}),
    )
    pairs = dict.fromkeys(tuple(random.sample(PEOPLE, 2)) for _ in range(random.randint(1, 4)))
    return tuple(
        RelationshipRule(source=one, target=other, type="couple", rules=Rules.model_validate(random.choice(own)))
        for one, other in pairs
    )


def _plain(random: Random, member: Member) -> Member:
    return member if random.random() < 0.2 else Member(personality_id=member.personality_id, since=member.since)


def _options(random: Random) -> dict[str, Any]:
    """What a pantheon says that tells everybody; now and then more, up to what keeps it from being read in a hub."""

    def rarely(value: Any, likely: float = 0.1) -> Any:
        return value if random.random() < likely else None

    return {
        "propagate_all": rarely(True, 0.9),
        "propagate_all_user_interactions": rarely(True, 0.4),
        "gossip_about_others": rarely(True, 0.4),
        "share_direct_interactions": rarely(True, 0.3),
        "share_with": rarely(tuple(random.sample((*PEOPLE, *SLUGS[:1]), 2)), 0.3),
        "manner": random.choice(("gossip", "witnessed")),
        "max_hops": random.choice((1, 1, 2, 3)),
        "delay": random.choice((0, 0, 0.5, 1, 2)),
        "decay": random.choice((1, 0.9, 0.5)),
        "retell": rarely("summary", 0.3),
        "reliability": rarely(0.5),
        "exclude_private": rarely(True),
        "omniscient": rarely(True),
        "only_about": rarely(PEOPLE[:3]),
        "chance": rarely(0.5, 0.05),
        "fan_out": rarely(2, 0.05),
        "relation_types": rarely(("friend", "rival"), 0.05),
        "budget": rarely({"message": 3}, 0.05),
        "conditions": rarely({"flags": {"war": random.random() < 0.5}}, 0.2),
    }


def with_hubs(book: RuleBook, size: int) -> RuleBook:
    """The same rules, with hubs from this size on."""
    pantheons = [
        each.model_copy(update={"rules": each.rules.model_copy(update={"hub_from": size})}) for each in book.pantheons
    ]
    return book.model_copy(update={"pantheons": tuple(pantheons)})


async def _answers(
    given: LeakCase, folder: Path, opener: InstanceOpener, size: int, changes: Sequence[str]
) -> HubAnswers:
    here = folder / str(size)
    here.mkdir()
    (here / "rules.json").write_text(as_file(with_hubs(given.book, size)), "utf-8")
    graph = {"name": "networkx", "path": str(here / "graph.db")}
    async with opener({"relationships": {"rules": str(here / "rules.json"), "graph": graph}}) as ew:
        return await _Play(ew, given, changes).answers()


class _Play:
    """A story, and what is done in it: all by the number of the case."""

    def __init__(self, ew: Earwitness, given: LeakCase, changes: Sequence[str]) -> None:
        self._ew, self._given, self._changes = ew, given, changes
        self._random = Random(given.number)  # noqa: S311 - a case must be played the same again
        self._found: HubAnswers = {}
        self._said = 0
        self._changes_made: list[tuple[Session, str]] = []
        self._bubbles: list[Session] = []
        self._absent = self._latecomer() if "join the story" in changes else None

    async def answers(self) -> HubAnswers:
        """Play, and ask everybody after every day."""
        story = await begun(self._ew, self._given, self._absent)
        for heard in self._given.conversation:
            await self._day(story, heard.seed.day)
            await story.say(
                heard.seed.speaker,
                text_of(heard.seed),
                key=heard.seed.key,
                audience=list(heard.seed.direct),
                channel=heard.channel,
            )
            await self._ask([story])
        stories = [story]
        for _ in range(4):
            await self._meddle(stories)
            for each in stories:
                await self._day(each, each.state.game_day + self._random.choice((0.5, 1, 2)))
            await self._ask([*stories, *self._bubbles])
        return self._found

    def _latecomer(self) -> str | None:
        """Somebody who perceives nothing of the conversation, and joins the story later or never."""
        there = {id for heard in self._given.conversation for id in heard.seed.direct}
        return next((id for id in PEOPLE[::-1] if id not in there), None)

    async def _day(self, story: Session, day: float) -> None:
        if day > story.state.game_day:
            await story.change(game_day=day)

    async def _meddle(self, stories: list[Session]) -> None:
        """Change something that was said, who is there, or who is a member; or fork."""
        story = self._random.choice(stories)
        seed = self._random.choice(self._given.conversation).seed
        match self._random.choice(self._changes):
            case "edit" | "reroll" | "retract" | "retract own" as change:
                await self._take_back(story, seed, change)
            case "say" | "say again" | "disguise" | "unmask" as change:
                await self._speak(story, change)
            case "haste":
                await self._hurry(story)
            case "before":
                await self._ask_of_the_past(story)
            case "tell" | "archive" | "note" as change:
                await self._by_hand(story, seed.key, change)
            case "join" | "leave" | "other days" | "remove" | "remove the pantheon" as change:
                await self._members(story, change)
            case "take back a change" if self._changes_made:
                where, key = self._random.choice(self._changes_made)
                await where.retract(key)
            case change:
                await self._story(stories, story, change)

    async def _take_back(self, story: Session, seed: Seed, change: str) -> None:
        if change == "retract":
            await story.retract(seed.key)
        elif change == "retract own":
            await self._retract_own(story, self._random.choice(sorted(seed.direct)), seed.key)
        elif seed.key in [each.key for each in await story.messages()]:
            said = f"{text_of(seed)} Really."
            await (story.reroll(said, key=seed.key) if change == "reroll" else story.edit(seed.key, said))

    async def _by_hand(self, story: Session, key: str, change: str) -> None:
        """Pass a message on, or put it into the archive or back."""
        one, other = self._random.sample(story.cast.ids, 2)
        back = self._random.random() < 0.5
        with suppress(InputError, UnknownName):  # somebody who does not know it, or nothing that is left of it
            if change == "tell":
                await story.tell(one, other, key)
            elif change == "note":
                await story.remember(one, f"Secret note that {key} concerns nobody else.", rests_on=[key])
            else:
                await (story.restore(key) if back else story.archive(key))

    async def _speak(self, story: Session, change: str) -> None:
        masked = [each for each in await story.messages() if each.message.speak_as] if change == "unmask" else []
        if change == "say again":
            await self._say_again(story)
        elif change != "unmask":
            await self._say(story, speak_as="Hooded Stranger" if change == "disguise" else None)
        for each in masked[:1]:
            await story.unmask(each.speaker)

    async def _story(self, stories: list[Session], story: Session, change: str) -> None:
        match change:
            case "fork" if len(stories) < 3:
                stories.append(await story.fork(f"branch{len(stories)}"))
            case "relate":
                one, other = self._random.sample(PEOPLE, 2)
                made = await story.relationships.relate(one, other, self._random.choice(("friend", "rival")))
                self._changes_made.append((story, made.key))
            case "import" if len(stories) < 3:
                lines = [line async for line in story.backstage().export()]
                stories.append(await self._ew.import_session(lines, id=f"copy{len(stories)}"))
            case "bubble" if len(self._bubbles) < 2:
                known: Any = self._random.choice((["story"], ["story", "pantheons"]))
                self._bubbles.append((await story.bubble(f"dream{len(self._bubbles)}", knows=known)).session)
            case "join the story" if self._absent is not None and self._absent not in story.cast:
                await story.join(Character(self._absent))
            case _:
                pass

    async def _say(self, story: Session, **given: Any) -> None:
        speaker, *audience = self._random.sample(story.cast.ids, self._random.randint(1, 3))
        key = f"later{self._said}"
        self._said += 1
        await story.say(speaker, f"Secret{key} concerns nobody else.", key=key, audience=audience, **given)

    async def _hurry(self, story: Session) -> None:
        """Something is said, flags and places change and days pass, before any of it is decided."""
        await self._say(story)
        for _ in range(3):
            day = story.state.game_day
            await story.change(flags={**story.state.flags, "war": self._random.random() < 0.5})
            await story.change(game_day=day + self._random.choice((0.5, 1, 2)))

    async def _ask_of_the_past(self, story: Session) -> None:
        """What everybody knew when something was said, just after that."""
        before = f"later{self._said}"
        await self._say(story)
        await self._say(story)
        for who in [each for each in PEOPLE if each in story.cast]:
            asked = f"{who} in {story.id} before {before} ({len(self._found)})"
            self._found[asked] = await self._recalled(story, who, before=before)

    async def _say_again(self, story: Session) -> None:
        """The same words twice on a day, to others each time."""
        speaker = self._random.choice(story.cast.ids)
        for n in range(2):
            there = self._random.sample(story.cast.ids, self._random.randint(0, 2))
            said: dict[str, Any] = {
                "key": f"again{self._said}-{n}",
                "audience": [each for each in there if each != speaker],
            }
            await story.say(speaker, f"Secretagain{self._said} concerns nobody else.", **said)
        self._said += 1

    async def _members(self, story: Session, change: str) -> None:
        pantheons = story.relationships.pantheons
        slug, who = self._random.choice(self._given.book.pantheons).slug, self._random.choice(PEOPLE)
        last = story.state.game_day - self._random.choice((0, 0, 1))
        with suppress(RulesError):  # somebody who is a member already, or is none
            match change:
                case "join":
                    made = await pantheons.add_member(slug, who)
                case "leave":
                    made = await pantheons.end_member(slug, who, until=last)
                case "other days":
                    made = await self._other_days(story, slug, who)
                case "remove":
                    made = await pantheons.remove_member(slug, who)
                case _:
                    made = await pantheons.remove(slug)
            self._changes_made.append((story, made.key))

    async def _other_days(self, story: Session, slug: str, who: str) -> Outcome:
        """Lengthen or shorten one of somebody's memberships."""
        pantheons = story.relationships.pantheons
        held = [each for each in (await pantheons.get(slug)).members if each.personality_id == who]
        since = self._random.choice(held).since if held else None
        until = self._random.choice((None, *(story.state.game_day + each for each in (-1, 0, 1, 2))))
        made: Outcome = await pantheons.change_member(slug, who, since=since, until=until)
        return made

    async def _retract_own(self, story: Session, who: str, key: str) -> None:
        memories = (await story.backstage().inspect(who)).memories
        own = [each for each in memories if key in each.message_keys]
        for each in own[:1]:
            await story.retract(each.id)

    async def _ask(self, stories: Sequence[Session]) -> None:
        for story in stories:
            await story.delivered()
            for who in [each for each in PEOPLE if each in story.cast]:
                asked = f"{who} in {story.id} on day {story.state.game_day:g} ({len(self._found)})"
                self._found[asked] = await self._recalled(story, who)

    async def _recalled(self, story: Session, who: str, **given: Any) -> list[RecalledAs]:
        channel: Any = self._random.choice([self._given.asked, *(each.channel for each in self._given.conversation)])
        query = "Secret concerns nobody else"
        turn = await story.turn(who, query=query, channel=channel or Channel(), in_prompt=[], memories=20, **given)
        return sorted(RecalledAs.of(each.memory) for each in turn.memories)
