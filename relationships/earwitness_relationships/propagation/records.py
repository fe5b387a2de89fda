"""What a spread starts from and what it says. All characters are personality ids."""

from __future__ import annotations

from typing import Literal

from pydantic import JsonValue

from earwitness import Record
from earwitness.records.prose import number
from earwitness.records.state import Day


class Telling(Record):
    """One hop: somebody tells somebody."""

    listener: str
    """Who learns it."""
    teller: str
    """Who tells it."""
    hop: int
    """1 = the teller perceived it at first hand."""
    day: Day
    """The game day on which the listener learns it."""
    rule: str
    """The rule, as `explain` shows it."""
    pantheon: str | None = None
    """Slug of the pantheon whose rule it is."""
    how: Literal["shared", "witnessed"] = "shared"
    """How the listener learns it."""
    strength: float = 1.0
    """What is left of it after this hop."""
    trust: float = 1.0
    """How far the listener believes it."""
    retell: str = "verbatim"
    """How it is worded."""
    triage: str | None = None
    """Name of the triage that decides whether it is worth telling."""
    max_hops: int = 1
    """How many hops the rule allows: the listener tells it on if there are more than `hop`."""
    hub: bool = False
    """Whether it is told to the hub of a pantheon: then the listener is its slug."""

    def __str__(self) -> str:
        return f"{self.teller} tells {self.listener} on day {number(self.day)} ({self.rule})"


class HubTelling(Record):
    """What the hub of a pantheon is told of a message."""

    slug: str
    """Slug of the pantheon."""
    told_on: Day
    """The game day on which it is told. Who is a member on that day reads it there."""
    told_at: int | None = None
    """Number of the journal entry with which it is told. Who joins the story later does not read it there."""
    messages: int | None = None
    """How many messages the story has by then."""
    graph: int | None = None
    """The version of the graph of all stories by then."""
    tellings: tuple[Telling, ...]
    """By whom, the one that is shown first; all arrive on one day, at one hop."""
    others: tuple[str, ...] = ()
    """Members who read it in the hub of another pantheon."""
    earlier: tuple[str, ...] = ()
    """Those of them who learned it there before. Who learns it in several hubs at once reads it in any."""
    apart: tuple[str, ...] = ()
    """Members whom one of the tellers tells otherwise, by a relationship: they do not read it there."""
    text: str = ""
    """What the first of them says."""
    told_on_by_now: bool = False
    """Whether it has arrived, and those who read it there have told it on."""
    arrived: int | None = None
    """The version of the graph of all stories when it arrived; `None` = it is on its way, or took no days."""


class Seed(Record):
    """One message, and who knows it so far."""

    key: str
    """The message's key, for coins."""
    day: Day
    """The game day on which it is passed on."""
    speaker: str
    """Who said it."""
    direct: dict[str, str] = {}
    """Who perceived it at first hand → role in it (`speaker`, `addressee`, `present`, `overhearing`)."""
    heard: tuple[str, ...] = ()
    """Who was told of it before: they are not told again, and have passed it on already."""
    arrived: tuple[Telling, ...] = ()
    """Tellings that have just arrived: their listeners tell it on now."""
    users: tuple[str, ...] = ()
    """Those who took part and are a user's persona."""
    concerned: tuple[str, ...] = ()
    """Ids of the users of whom a persona perceived it or may be mentioned; `""` where no user of it is known."""
    about: tuple[str, ...] = ()
    """Whom it mentions, besides its speaker."""
    perhaps_about: tuple[str, ...] = ()
    """Whom it may mention besides them: what is never told about them is not told either."""
    private: bool = False
    """Whether it was perceived in a direct message."""
    flags: dict[str, JsonValue] = {}
    """Flags of the state."""
    place: str | None = None
    """Where it was said: a path."""


class Stop(Record):
    """Why somebody was not told."""

    listener: str
    """Who."""
    teller: str
    """Who did not tell."""
    rule: str
    """The rule that would have told, or that stopped it."""
    why: str
    """`excluded: private`, `coin`, `fan_out`, …, in words."""

    def __str__(self) -> str:
        teller = f" by {self.teller}" if self.teller else ""
        return f"{self.listener} is not told{teller}" + (f" ({self.rule})" if self.rule else "") + f": {self.why}"


class Spread(Record):
    """Who learns a message, and who does not and why."""

    tellings: tuple[Telling, ...] = ()
    """In the order of days, hops and listeners."""
    stops: tuple[Stop, ...] = ()
    """Those who were not told, once for each rule."""

    def __str__(self) -> str:
        return "\n".join(map(str, (*self.tellings, *self.stops))) or "nobody is told"
