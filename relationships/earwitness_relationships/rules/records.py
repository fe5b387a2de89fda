"""What a rule file says, in one shape, whichever way it was written."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from earwitness import Record
from earwitness.records.state import Day

Manner = Literal["gossip", "intimate", "witnessed"]
MemberRole = Literal["leader", "member", "observer"]
Retelling = Literal["verbatim", "summary"]


class Budget(Record):
    """The most tellings that may follow."""

    message: int | None = Field(default=None, ge=0)
    """For one message."""
    listener_day: int | None = Field(default=None, ge=0)
    """For one listener on one game day."""


class Conditions(Record):
    """When a rule holds. Everything named must be so."""

    flags: dict[str, JsonValue] = {}
    """Flags of the state and the values they must have."""
    places: tuple[str, ...] = ()
    """Places, one of which the message must have been said at, or within."""


class Rules(Record):
    """The options of a pantheon, a member or a relationship. `None` = not set at this level."""

    share_direct_interactions: bool | None = None
    """Tell those in `share_with`, or the target of the relationship, what the teller lived."""
    share_all_direct_user_interactions: bool | None = None
    """The same, only where a user's persona took part."""
    gossip_about_others: bool | None = None
    """Tell on what the teller learned about a third character."""
    propagate_all: bool | None = None
    """Every member's direct interactions go to every other member."""
    propagate_all_user_interactions: bool | None = None
    """The same, only where a user's persona took part."""
    omniscient: bool | None = None
    """Chance, fan-out and budgets do not count."""
    share_with: tuple[str, ...] | None = None
    """Personality ids, and slugs of pantheons for all their members."""
    manner: Manner | None = None
    """Written `as`: `gossip` and `intimate` are `shared`, `witnessed` is `witnessed`."""
    exclude_private: bool | None = None
    """Nothing from a direct message is told on."""
    only_about: tuple[str, ...] | None = None
    """Only messages that one of these speaks, or that mention one of them."""
    never_about: tuple[str, ...] | None = None
    """No message that one of these speaks, or that mentions one of them."""
    min_weight: float | None = None
    """The least weight of a relation that carries the rule."""
    relation_types: tuple[str, ...] | None = None
    """The types of relations that carry the rule, to the neighbours in the graph."""
    max_hops: int | None = Field(default=None, ge=0)
    """How far it is told on."""
    decay: float | None = Field(default=None, ge=0, le=1)
    """Factor on the strength at each hop."""
    fan_out: int | None = Field(default=None, ge=0)
    """The most listeners of one teller and message."""
    budget: Budget | None = None
    """The most tellings."""
    delay: float | None = Field(default=None, ge=0)
    """Game days that each hop takes."""
    chance: float | None = Field(default=None, ge=0, le=1)
    """The probability of each telling, by a coin that always falls the same way."""
    reliability: float | None = Field(default=None, ge=0, le=1)
    """How far listeners believe it: the trust of each telling."""
    retell: Retelling | str | None = None
    """`verbatim`, `summary`, or the name of a reteller."""
    when: Literal["message", "conversation"] | None = None
    """At each message, or one summary when the conversation is closed."""
    conditions: Conditions | None = None
    """When it holds."""
    hub_from: int | None = Field(default=None, ge=1)
    """From so many members on, a hub is read instead of copies written."""
    spreading: str | None = None
    """Name of the spreading model."""


class Member(Record):
    """Somebody in a pantheon."""

    personality_id: str
    """Who."""
    role: MemberRole = "member"
    """`observer` hears and never tells."""
    rules: Rules = Rules()
    """Win over the pantheon's."""
    since: Day | None = None
    """First game day."""
    until: Day | None = None
    """Last game day."""


class RelationshipRule(Record):
    """A relation with rules of its own."""

    source: str
    """Personality id of the teller."""
    target: str
    """Personality id of the listener."""
    type: str = "RELATES_TO"
    """Type of the relation."""
    weight: float = Field(default=1.0, ge=0, allow_inf_nan=False)
    """How strong it is."""
    rules: Rules = Rules()
    """Win over those of the member and the pantheon."""


class Pantheon(Record):
    """A group of characters with relationships and rules."""

    slug: str
    """Unique name; its hub is the container `pantheon-{slug}`."""
    id: str | None = None
    """The host's own id."""
    name: str | None = None
    """Display name; `None` = the slug."""
    description: str = ""
    """What it is."""
    type: str = "friend_group"
    """`narrative_universe`, `deity_pantheon`, `friend_group`, or a word of one's own."""
    rules: Rules = Rules()
    """Hold for all members."""
    members: tuple[Member, ...] = ()
    """Who is in it."""
    relationships: tuple[RelationshipRule, ...] = ()
    """Relations with rules."""
    owner: str | None = None
    """Id of the user who made it; `None` = the owner of the store."""
    created_at: str | None = None
    """When it was made, ISO 8601 in UTC."""
    changed_at: str | None = None
    """When it was last changed."""


class RuleBook(Record):
    """A rule file, or what was put together at run time."""

    pantheons: tuple[Pantheon, ...] = ()
    """In the order of the file."""
    feeds: dict[str, str] = {}
    """Update type, or `moved` → type of the relation that it makes in the story's graph."""
    version: str = ""
    """A digest of what it says."""
