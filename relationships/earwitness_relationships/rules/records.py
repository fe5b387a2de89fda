"""What a rule file says, in one shape, whichever way it was written."""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import Literal, Self

from pydantic import JsonValue, model_validator

from earwitness import Record
from earwitness.loading.quantities import Proportion, Switch

from .words import DayCount, GameDay, Hops, PersonalityId, PersonalityIds, Quota, Weight, Word, WordList

Manner = Literal["gossip", "intimate", "shared", "witnessed"]
MemberRole = Literal["leader", "member", "observer"]
MOVED = "moved"
"""The key of `RuleBook.feeds` for characters who go to another place."""


class Budget(Record):
    """The most tellings that may follow."""

    message: Quota | None = None
    """For one message."""
    listener_day: Quota | None = None
    """For one listener on one game day."""


class Conditions(Record):
    """When a rule holds. Everything named must be so."""

    flags: dict[str, JsonValue] = {}
    """Flags of the state and the values they must have."""
    places: tuple[str, ...] = ()
    """Places, one of which the message must have been said at, or within."""


class Rules(Record):
    """The options of a pantheon, a member or a relationship. `None` = not set at this level."""

    share_direct_interactions: Switch | None = None
    """Tell those in `share_with`, or the target of the relationship, what the teller lived."""
    share_all_direct_user_interactions: Switch | None = None
    """The same, only where a user's persona took part."""
    gossip_about_others: Switch | None = None
    """Tell on what the teller learned about a third character, not what the teller lived."""
    propagate_all: Switch | None = None
    """Every member's direct interactions go to every other member. Also written `{to: all_members, as: witnessed}`."""
    propagate_all_user_interactions: Switch | None = None
    """The same, only where a user's persona took part."""
    omniscient: Switch | None = None
    """Chance, fan-out and budgets do not count for this listener."""
    share_with: PersonalityIds | None = None
    """Personality ids, and slugs of pantheons for all their members."""
    manner: Manner | None = None
    """Written `as`: `gossip`, `intimate` and `shared` are `shared`; `witnessed` is `witnessed`."""
    exclude_private: Switch | None = None
    """Nothing from a direct message is passed on."""
    only_about: PersonalityIds | None = None
    """Only messages that one of these speaks, or that mention one of them."""
    never_about: PersonalityIds | None = None
    """No message that one of these speaks, or that mentions one of them."""
    min_weight: Weight | None = None
    """The least weight of a relation that carries the rule."""
    relation_types: WordList | None = None
    """The types of relations that carry the rule, to the neighbours in the graph."""
    max_hops: Hops | None = None
    """The number of hops it may take."""
    decay: Proportion | None = None
    """Factor on the strength at each hop."""
    fan_out: Quota | None = None
    """The most listeners of one teller and message."""
    budget: Budget | None = None
    """The most tellings."""
    delay: DayCount | None = None
    """Game days that each hop takes."""
    chance: Proportion | None = None
    """The probability of each telling, by a coin that always falls the same way."""
    reliability: Proportion | None = None
    """How far listeners believe it: the trust of each telling."""
    retell: Word | None = None
    """`verbatim`, `summary`, or the name of a reteller."""
    triage: Word | None = None
    """Name of the triage that decides what is worth passing on."""
    when: Literal["message", "conversation"] | None = None
    """At each message, or one summary when the conversation is closed."""
    conditions: Conditions | None = None
    """When it holds."""
    hub_from: Quota | None = None
    """From so many members on, a hub is read instead of copies written."""
    spreading: Word | None = None
    """Name of the spreading model."""

    @property
    def options(self) -> dict[str, object]:
        """The options that are set at this level."""
        return {name: value for name, value in self if value is not None}


class Lasting(Record):
    """What holds from one game day to another, both included."""

    since: GameDay | None = None
    """First game day; `None` = no beginning."""
    until: GameDay | None = None
    """Last game day; `None` = no end."""

    @model_validator(mode="after")
    def _days_in_order(self) -> Self:
        if self.since is not None and self.until is not None and self.until < self.since:
            raise ValueError(f"until {self.until:g} is before since {self.since:g}.")
        return self

    def holds_on(self, day: float) -> bool:
        """Whether it holds on a game day."""
        return (self.since is None or self.since <= day) and (self.until is None or day <= self.until)

    def overlaps(self, other: Lasting) -> bool:
        """Whether there is a day on which both hold."""
        return _begins_by_the_end_of(self, other) and _begins_by_the_end_of(other, self)


def _begins_by_the_end_of(one: Lasting, other: Lasting) -> bool:
    return one.since is None or other.until is None or one.since <= other.until


class Member(Lasting):
    """Somebody in a pantheon."""

    personality_id: PersonalityId
    """Who."""
    role: MemberRole = "member"
    """`observer` hears and never tells."""
    rules: Rules = Rules()
    """Win over the pantheon's."""


class RelationshipRule(Lasting):
    """A relation with rules of its own."""

    source: PersonalityId
    """Personality id of the teller."""
    target: PersonalityId
    """Personality id of the listener."""
    type: Word = "RELATES_TO"
    """Type of the relation."""
    weight: Weight = 1.0
    """How strong it is."""
    rules: Rules = Rules()
    """Win over those of the member and the pantheon."""

    @model_validator(mode="after")
    def _between_two(self) -> Self:
        if self.source == self.target:
            raise ValueError(f"{self.source!r} is related to itself. A relationship needs two different characters.")
        return self


class Pantheon(Record):
    """A group of characters with relationships and rules."""

    slug: Word
    """Unique name; its hub is the container `pantheon-{slug}`."""
    id: str | None = None
    """The host's own id."""
    name: str | None = None
    """Display name; `None` = the slug."""
    description: str = ""
    """What it is."""
    type: Word = "friend_group"
    """`narrative_universe`, `deity_pantheon`, `friend_group`, or a word of your own."""
    rules: Rules = Rules()
    """Hold for all members."""
    members: tuple[Member, ...] = ()
    """Who is in it."""
    relationships: tuple[RelationshipRule, ...] = ()
    """Relations with rules."""
    owner: str | None = None
    """Id of the user who made it; `None` = the owner of the store."""
    confined_to: str | None = None
    """Id of the player who made it: it tells nothing that a persona of another user perceived, or that mentions one."""
    created_at: str | None = None
    """When it was made, ISO 8601 in UTC."""
    changed_at: str | None = None
    """When it was last changed."""

    @property
    def has_hub(self) -> bool:
        """Whether what all members learn is kept in a hub, or was while there were more of them."""
        return any(each.hub_from is not None for each in (self.rules, *(each.rules for each in self.members)))


class Feed(Record):
    """A fact of the story's graph that each world update of a type makes."""

    relation: Word
    """Type of the relation from the update's character to its target."""
    target: str | None = None
    """Metadata field that names the target; `None` = the first that is there of `item`, `itemName`, `location`,
    `place`, `target`."""
    kind: Literal["Character", "Location", "Item", "Faction", "Quest", "Event", "Pantheon"] | None = None
    """Kind of node of the target; `None` = what the relation says: an item, a location, a character."""
    ends: Switch = False
    """Whether the update ends the relation instead of making it."""


class RuleBook(Record):
    """A rule file, or what was put together at run time."""

    pantheons: tuple[Pantheon, ...] = ()
    """In the order of the file."""
    feeds: dict[str, Feed] = {}
    """Update type, or `moved` → the relation that it makes in the story's graph."""
    version: str = ""
    """A digest of what it says."""

    def pantheon(self, slug: str) -> Pantheon | None:
        """The pantheon with this slug."""
        return next((each for each in self.pantheons if each.slug == slug), None)

    def with_version(self) -> Self:
        """A copy whose version is the digest of what it says, however that was written."""
        said = self.model_dump(mode="json", exclude={"version"}, exclude_none=True)
        data = json.dumps(said, sort_keys=True, ensure_ascii=False).encode("utf-8", "surrogatepass")
        return self.model_copy(update={"version": blake2b(data, digest_size=8).hexdigest()})
