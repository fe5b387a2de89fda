"""Random stories as values, and an oracle that says who must remember what of them.

A `Script` turns random draws into calls a host may make. It keeps the expected results in a few dicts: each character's
container holds exactly the messages whose participants include that character, in their current revision, without
retracted ones. Import it only where a property is tried: it needs hypothesis.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import strategies as st

from ..app import Earwitness
from ..ids import WORLD, MemoryIds

CAST = ("alice", "bob", "carol")
STORIES = ("s1", "s1-x", "s2")
VERBS = (
    *("say", "say", "say", "say", "edit", "reroll", "retract", "change", "retract_change", "enter", "leave", "fork"),
    *("remember", "remember", "archive", "restore", "retract_note"),
)


@dataclass(frozen=True)
class Draw:
    """The random values for one step; a step ignores those it does not need."""

    story: int
    verb: str
    who: str
    heard: frozenset[str] | None
    present: frozenset[str] | None
    audience: frozenset[str] | None
    whispered: frozenset[str] | None
    moves: str
    which: int


@dataclass(frozen=True)
class Call:
    """One call of a host. The same call made again must change nothing."""

    story: str
    verb: str
    given: tuple[str, ...]
    named: dict[str, Any]

    @property
    def root(self) -> str:
        """The original story that this one is, or branches off from."""
        return max((name for name in STORIES if f"{self.story}-".startswith(f"{name}-")), key=len)

    async def on(self, earwitness: Earwitness, prefix: str) -> None:
        """Make the call, in the story with this name after the prefix."""
        story = await earwitness.session(prefix + self.story, cast=CAST, present=CAST[:2])
        given = (prefix + self.given[0],) if self.verb == "fork" else self.given
        if self.verb in {"archive", "restore"}:  # `given` holds the owner of the note, and its key
            owner, key = self.given
            begun = await earwitness.engine.ledger.load(story.id)
            given = (begun.ids.of(key, 0, f"{story.id}-{owner}", "derived"),) if begun else ()
        await getattr(story, self.verb)(*given, **self.named)


@dataclass
class ScriptedEntry:
    """A message as the oracle knows it."""

    key: str
    speaker: str
    words: str
    listeners: set[str]
    whispered: set[str]
    here_before: set[str]
    present: frozenset[str] | None
    audience: frozenset[str] | None
    moves: str
    revision: int = 0
    retracted: bool = False

    @property
    def moves_somebody(self) -> bool:
        """Whether anybody may be elsewhere after it."""
        return bool(self.moves) or self.present is not None


@dataclass
class News:
    """A change as the oracle knows it."""

    audience: set[str]
    is_active: bool = True


@dataclass
class Note:
    """A memory written by hand as the oracle knows it, and the message it rests on, in which revision."""

    owner: str
    ground: ScriptedEntry | None
    revision: int
    archived: bool = False
    retracted: bool = False

    @property
    def is_kept(self) -> bool:
        """Whether neither the note nor the message it rests on was retracted."""
        grounded = self.ground is None or (not self.ground.retracted and self.ground.revision == self.revision)
        return grounded and not self.retracted


@dataclass
class ExpectedBook:
    """One story as the oracle knows it: its entries, its changes, who is here, and all of that after each call."""

    messages: dict[str, ScriptedEntry] = field(default_factory=dict)
    news: dict[str, News] = field(default_factory=dict)
    notes: dict[str, Note] = field(default_factory=dict)
    here: set[str] = field(default_factory=lambda: set(CAST[:2]))
    last: str = ""
    past: list[tuple[str, ExpectedBook]] = field(default_factory=list)

    def ids(self, derived: MemoryIds, owner: str) -> dict[str, str]:
        """Memory id → words, for exactly the memories that the owner's container must hold."""
        container = f"{derived.session}-{owner}"
        said = [
            (derived.of(each.key, each.revision, container, "message"), f"words {each.words}")
            for each in self.messages.values()
            if not each.retracted and (owner == WORLD or owner in each.listeners)
        ]
        news_texts = [
            (derived.of(key, 0, container, "update-0"), f"news {key}.")
            for key, news in self.news.items()
            if news.is_active and owner == WORLD
        ]
        noted = [
            (derived.of(key, 0, container, "derived"), f"note {key}.")
            for key, note in self.notes.items()
            if note.is_kept and not note.archived and note.owner == owner
        ]
        return dict([*said, *news_texts, *noted])

    def hidden(self, owner: str) -> list[str]:
        """Words the container must not hold.

        These are retracted ones, whispers to others, and news retracted or not for the owner.
        """
        words = [f"words {each.words}" for each in self.messages.values() if each.retracted]
        words += [f"whisper {each.words}" for each in self.messages.values() if not _hears(owner, each)]
        words += [f"news {key}." for key, news in self.news.items() if not _may_hear(owner, news)]
        return words + [
            f"note {key}." for key, note in self.notes.items() if not (note.is_kept and note.owner == owner)
        ]

    def whispers(self, owner: str) -> list[str]:
        """Whispers the container must hold."""
        heard = (each for each in self.messages.values() if each.whispered and _hears(owner, each))
        return [f"whisper {each.words}" for each in heard]


def _hears(owner: str, entry: ScriptedEntry) -> bool:
    return not entry.retracted and (owner == WORLD or owner in entry.whispered)


def _may_hear(owner: str, news: News) -> bool:
    return news.is_active and (owner == WORLD or owner in news.audience)


class Script:
    """Draws turned into calls, and the expected books of all stories after them."""

    def __init__(self, draws: Sequence[Draw]) -> None:
        self.books: dict[str, ExpectedBook] = {name: ExpectedBook() for name in STORIES}
        self.calls: list[Call] = []
        for number, draw in enumerate(draws):
            name = list(self.books)[draw.story % len(self.books)]
            getattr(self, f"_{draw.verb}")(name, self.books[name], draw, f"k{number}")

    def _call(self, name: str, verb: str, *given: str, **named: Any) -> None:
        self.calls.append(Call(name, verb, given, named))
        book = self.books[name]
        past, book.past = book.past, []
        book.past = [*past, (named.get("key") or named["own_key"], deepcopy(book))]

    def _say(self, name: str, book: ExpectedBook, draw: Draw, key: str) -> None:
        content = _content(key, draw)
        here, host = set(book.here), {"present": draw.present, "audience": draw.audience}
        entry = ScriptedEntry(key, draw.who, f"{key}.", set(), set(), here, draw.present, draw.audience, draw.moves)
        book.messages[key] = entry
        _perceive(book, entry, draw)
        book.last = key
        word = {name: sorted(ids) for name, ids in host.items() if ids is not None}
        self._call(name, "say", draw.who, content, key=key, **word)

    def _edit(self, name: str, book: ExpectedBook, draw: Draw, key: str) -> None:
        if entry := _pick([each for each in book.messages.values() if not each.retracted], draw.which):
            draw = self._revise(book, entry, draw, key)
            self._call(name, "edit", entry.key, _content(key, draw), own_key=key)

    def _reroll(self, name: str, book: ExpectedBook, draw: Draw, key: str) -> None:
        if standing := [each for each in book.messages.values() if not each.retracted]:
            draw = self._revise(book, standing[-1], draw, key)
            self._call(name, "reroll", _content(key, draw), own_key=key)

    def _revise(self, book: ExpectedBook, entry: ScriptedEntry, draw: Draw, key: str) -> Draw:
        """What the new text is made of: of the old comings and goings, once something has happened since."""
        draw = draw if book.last == entry.key else replace(draw, moves=entry.moves)
        entry.moves = draw.moves
        entry.revision += 1
        entry.words = f"{key}."
        here = book.here
        book.here = set(entry.here_before)
        _perceive(book, entry, draw)
        if book.last != entry.key:  # something has happened since, so whereabouts stay
            book.here = here
        return draw

    def _retract(self, name: str, book: ExpectedBook, draw: Draw, key: str) -> None:
        may = [each for each in book.messages.values() if book.last == each.key or not each.moves_somebody]
        if entry := _pick(may, draw.which):
            entry.retracted = True
            if book.last == entry.key:  # nothing has happened since, so whereabouts return to those before it
                book.here = set(entry.here_before)
            self._call(name, "retract", entry.key, own_key=key)

    def _change(self, name: str, book: ExpectedBook, draw: Draw, key: str) -> None:
        book.news[key] = News(set(book.here))
        book.last = key
        self._call(name, "change", key=key, game_day=1 + draw.which / 2, description=f"There is news {key}")

    def _retract_change(self, name: str, book: ExpectedBook, draw: Draw, key: str) -> None:
        if taken := _pick(list(book.news), draw.which):
            book.news[taken].is_active = False
            self._call(name, "retract", taken, own_key=key)

    def _enter(self, name: str, book: ExpectedBook, draw: Draw, key: str) -> None:
        book.here.add(draw.who)
        book.last = key
        self._call(name, "enter", draw.who, key=key)

    def _leave(self, name: str, book: ExpectedBook, draw: Draw, key: str) -> None:
        book.here.discard(draw.who)
        book.last = key
        self._call(name, "leave", draw.who, key=key)

    def _remember(self, name: str, book: ExpectedBook, draw: Draw, key: str) -> None:
        owner = WORLD if draw.which % 7 == 0 else draw.who
        standing = [each for each in book.messages.values() if not each.retracted]
        ground = _pick(standing, draw.which) if draw.which % 3 else None
        book.notes[key] = Note(owner, ground, ground.revision if ground else 0)
        self._call(name, "remember", owner, f"note {key}.", rests_on=(ground.key,) if ground else (), key=key)

    def _archive(self, name: str, book: ExpectedBook, draw: Draw, key: str) -> None:
        self._put_away(name, book, draw, key, archived=True)

    def _restore(self, name: str, book: ExpectedBook, draw: Draw, key: str) -> None:
        self._put_away(name, book, draw, key, archived=False)

    def _put_away(self, name: str, book: ExpectedBook, draw: Draw, key: str, *, archived: bool) -> None:
        if taken := _pick([each for each, note in book.notes.items() if note.is_kept], draw.which):
            book.notes[taken].archived = archived
            self._call(name, "archive" if archived else "restore", book.notes[taken].owner, taken, key=key)

    def _retract_note(self, name: str, book: ExpectedBook, draw: Draw, key: str) -> None:
        if taken := _pick(list(book.notes), draw.which):
            book.notes[taken].retracted = True
            self._call(name, "retract", taken, own_key=key)

    def _fork(self, name: str, book: ExpectedBook, draw: Draw, key: str) -> None:
        if book.past and len(self.books) < 6:
            place = draw.which % len(book.past)
            at, then = book.past[place]
            self.calls.append(Call(name, "fork", (f"{name}-{key}",), {"at": at}))
            branch = deepcopy(then)
            branch.past = book.past[: place + 1]
            self.books[f"{name}-{key}"] = branch


def _content(key: str, draw: Draw) -> str:
    heard = "" if draw.heard is None else f"(heard by {', '.join(sorted(draw.heard))})"
    whisper = "" if draw.whispered is None else f"{{to {', '.join(sorted(draw.whispered))}: A whisper {key}.}}"
    return f"Some words {key}. {whisper} {heard} {draw.moves}".strip()


def _perceive(book: ExpectedBook, entry: ScriptedEntry, draw: Draw) -> None:
    """Decide who perceives the message and who is here afterwards.

    The host's word comes first, then the text, then who is here.
    """
    if entry.present is not None:
        book.here = {entry.speaker, *entry.present}
    heard = draw.heard if entry.present is None else entry.present
    heard = heard if entry.audience is None else entry.audience
    entry.listeners = {entry.speaker, *(book.here if heard is None else heard)}
    entry.whispered = set()
    if draw.whispered is not None:  # the audience perceives the whole message
        entry.whispered = entry.listeners & {entry.speaker, *(draw.whispered if entry.audience is None else CAST)}
    for who, how in re.findall(r"\((\w+) (enter|leave)s\)", draw.moves):
        (book.here.add if how == "enter" else book.here.discard)(who)


def _pick(among: Sequence[Any], which: int) -> Any:
    return among[which % len(among)] if among else None


_some = st.one_of(st.none(), st.frozensets(st.sampled_from(CAST)))
draws: st.SearchStrategy[list[Draw]] = st.lists(
    st.builds(
        Draw,
        story=st.integers(0, 5),
        verb=st.sampled_from(VERBS),
        who=st.sampled_from(CAST),
        heard=_some,
        present=st.one_of(st.none(), st.none(), _some),
        audience=st.one_of(st.none(), st.none(), st.none(), _some),
        whispered=st.one_of(st.none(), st.none(), _some),
        moves=st.sampled_from(("", "", "(bob leaves)", "(bob enters)", "(carol enters)", "(alice leaves)")),
        which=st.integers(0, 20),
    ),
    min_size=3,
    max_size=20,
)
"""The random values for a whole script."""
