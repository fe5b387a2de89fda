"""Characters, and the cast they form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Literal

from pydantic import field_validator

from ..display_names import check_alias, check_name, usable_name
from ..errors import InputError, InvalidId, UnknownName, quoted, unknown
from ..ids import EVERYBODY, check_character_id, check_visible, invisible, look
from .base import Record
from .prose import joined
from .read_only import ReadOnlyDict

CharacterKind = Literal["character", "persona", "narrator"]


class Character(Record):
    """A member of the cast: somebody who can speak, be present, and remember."""

    id: str
    """Unique in the session; names the container `{session_id}-{id}`. Never `world`."""
    name: str
    """Display name, as memories show it (`Message: Alice: …`): one line, no colon. Default: the id in title case."""
    aliases: tuple[str, ...] = ()
    """Other names the character answers to, in any letter case."""
    kind: CharacterKind = "character"
    """`persona` is a user's mask in the story; `narrator` tells it."""
    user_id: str | None = None
    """The user behind a persona; several users may take part in one story."""
    personality_id: str = ""
    """Who the character is across sessions. Default: the id."""
    persona_id: str | None = None
    """The user's persona behind the mask, across sessions."""

    def __init__(
        self,
        id: str,
        *,
        name: str = "",
        aliases: Sequence[str] = (),
        kind: CharacterKind = "character",
        user_id: str | None = None,
        personality_id: str = "",
        persona_id: str | None = None,
    ) -> None:
        super().__init__(
            id=check_character_id(id),  # here, so that pydantic does not wrap the refusal
            name=name or display_name(id),
            aliases=aliases,
            kind=kind,
            user_id=user_id,
            personality_id=personality_id or id,
            persona_id=persona_id,
        )

    @field_validator("id")
    @classmethod
    def _usable(cls, value: str) -> str:
        return check_character_id(value)

    def check_newcomer(self) -> None:
        """Raise `InputError` if the character may not join a story anew: an id has an invisible character, or means
        everybody, or a name of it could forge a memory."""
        for field in ("id", "personality_id", "user_id", "persona_id"):
            check_visible(f"character {self.id!r}: {field}", getattr(self, field) or "")
        if self.personality_id == EVERYBODY:
            raise InvalidId(
                f"character {self.id!r}: personality id {EVERYBODY!r} stands for everybody in memberships. "
                "Give it another personality_id."
            )
        self.check_names()

    def check_names(self, had: Collection[str] = ()) -> None:
        """Raise `InputError` if the name or an alias could forge a memory. What the character `had` before may stay."""
        if self.name not in had:
            check_name(f"character {self.id!r}: name", self.name)
        for each in self.aliases:
            if each not in had:
                check_alias(f"character {self.id!r}: alias", each)

    def __str__(self) -> str:
        kind = "" if self.kind == "character" else f" ({self.kind})"
        return f"{self.id}: {joined((self.name, *self.aliases))}{kind}"

    @property
    def names(self) -> tuple[str, ...]:
        """Everything the character is called: id, display name, aliases."""
        return tuple(dict.fromkeys((self.id, self.name, *self.aliases)))

    @property
    def telling_names(self) -> tuple[str, ...]:
        """The id, and those names that are not merely the id in other letters."""
        plain = {self.id.casefold(), display_name(self.id).casefold()}
        return (self.id, *(each for each in self.names if each.casefold() not in plain))


class Cast(Record):
    """Everybody in the session, in the order they joined."""

    members: tuple[Character, ...] = ()
    """Each id once."""

    def __iter__(self) -> Iterator[Character]:  # type: ignore[override]
        return iter(self.members)

    def __len__(self) -> int:
        return len(self.members)

    def __str__(self) -> str:
        return "\n".join(map(str, self.members)) or "nobody"

    def __contains__(self, id: object) -> bool:
        return id in self.by_id

    def __getitem__(self, id: str) -> Character:
        """The character with this id. Raises `UnknownName`, listing the cast."""
        if id not in self.by_id:
            raise unknown("character", id, self.by_id)
        return self.by_id[id]

    def name_of(self, id: str) -> str:
        """The display name of a member; the id of whoever is no longer one, such as the speaker of an old message."""
        member = self.by_id.get(id)
        return id if member is None else member.name

    @cached_property
    def by_id(self) -> dict[str, Character]:
        """Id → character."""
        return ReadOnlyDict((member.id, member) for member in self.members)

    @property
    def ids(self) -> tuple[str, ...]:
        """All ids, in the order they joined."""
        return tuple(self.by_id)

    @property
    def other_names(self) -> dict[str, tuple[str, ...]]:
        """Id → the names and aliases that are not merely the id in other letters. `named` takes them all."""
        return {id: member.telling_names[1:] for id, member in self.by_id.items()}

    @cached_property
    def narrators(self) -> frozenset[str]:
        """Ids of the narrators."""
        return frozenset(member.id for member in self.members if member.kind == "narrator")

    def in_order(self, ids: Collection[str]) -> list[str]:
        """These ids, without strangers, in the order they joined. Few ids are few steps, however large the cast."""
        known = self.by_id
        if len(ids) > len(known) // 4:
            return list(filter(frozenset(ids).__contains__, known))
        return sorted(filter(known.__contains__, ids), key=self._places.__getitem__)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {id: place for place, id in enumerate(self.by_id)}

    @cached_property
    def _by_name(self) -> dict[str, dict[str, Character]]:
        """Id, name or alias in small letters → everybody who goes by it, by id, in the order they joined."""
        index: dict[str, dict[str, Character]] = {}
        for member in self.members:
            for name in member.names:
                index.setdefault(name.casefold(), {})[member.id] = member
        return index

    @cached_property
    def _by_look(self) -> dict[str, dict[str, Character]]:
        """What a name looks like → everybody who goes by such a name, by id."""
        index: dict[str, dict[str, Character]] = {}
        for name, members in self._by_name.items():
            index.setdefault(look(name), {}).update(members)
        return index

    @cached_property
    def _by_display_name(self) -> dict[str, Character]:
        """Display name → the first who has it."""
        return {member.name: member for member in reversed(self.members)}

    @cached_property
    def _by_usable_name(self) -> dict[str, Character]:
        """Display name as importers take it → the first who has it."""
        return {usable_name(member.name): member for member in reversed(self.members)}

    def called(self, name: str) -> tuple[Character, ...]:
        """Everybody who goes by this id, name or alias, in any letter case. An exact id belongs to one character only.

        Raises `InputError` for anything but text.
        """
        if not isinstance(name, str):
            raise InputError(
                f"character {quoted(name)} must be text (an id, name or alias), not {type(name).__name__}."
            )
        if name in self.by_id:
            return (self.by_id[name],)
        return tuple(self._by_name.get(name.strip().casefold(), {}).values())

    def looking_like(self, name: str) -> tuple[Character, ...]:
        """Everybody with a name that a reader takes for this one, as `look` says."""
        return tuple(self._by_look.get(look(name.strip()), {}).values())

    def resolve(self, name: str) -> Character | None:
        """The one who goes by this id, name or alias, in any letter case; `None` where nobody or several do."""
        found = self.called(name)
        return found[0] if len(found) == 1 else None

    def of_name(self, name: str) -> Character | None:
        """The first with exactly this display name, or else the one whom `resolve` finds, or whose name would be this
        one in a file (see `usable_name`)."""
        return self._by_display_name.get(name) or self.resolve(name) or self._by_usable_name.get(usable_name(name, ""))

    def named(self, name: str, *besides: str) -> Character:
        """As `resolve`, but raises `UnknownName`, listing the possible names and `besides`, or the characters meant."""
        found = self.called(name)
        if len(found) > 1:
            raise UnknownName(f"character {name!r} could mean {' or '.join(each.id for each in found)}: give the id.")
        if not found:
            raise unknown("character", name, (*self.by_id, *besides), self.other_names)
        return found[0]

    def check_newcomers(self, newcomers: Iterable[Character]) -> None:
        """Raise `InputError` if one of them may not join, or has a new name that could forge a memory or another name.

        Stories of older versions keep what they have.
        """
        newcomers = tuple(newcomers)
        together = self.joined(newcomers)
        for each in newcomers:
            if (before := self.by_id.get(each.id)) is None:
                each.check_newcomer()
            else:
                each.check_names(before.names)
            together.check_look(each, () if before is None else before.names)

    def check_look(self, member: Character, had: Collection[str] = ()) -> None:
        """Raise `InputError` if a name that the member has not `had` looks like another's for what is invisible."""
        for name in (each for each in member.names if each not in had and invisible(each)):
            same = {member.id, *(each.id for each in self.called(name))}
            if others := [each.id for each in self.looking_like(name) if each.id not in same]:
                raise InputError(
                    f"character {member.id!r}: {quoted(name)} holds {invisible(name)}, which is invisible: it looks "
                    f"like a name of {' and of '.join(map(repr, others))}. Use visible characters only."
                )

    def joined(self, newcomers: Iterable[Character]) -> Cast:
        """The cast with newcomers added. A newcomer replaces the character with the same id."""
        merged = dict(self.by_id)
        for member in newcomers:
            merged[member.id] = member
        return Cast(members=tuple(merged.values()))

    def without(self, id: str) -> Cast:
        """The cast without this character."""
        return Cast(members=tuple(member for member in self.members if member.id != id))


def display_name(id: str) -> str:
    """`shadow_fox` → `Shadow Fox`; an id with capitals stays as written."""
    words = id.replace("_", " ").replace(":", " ")
    return words.title() if words.islower() else words


def as_cast(members: Iterable[Character | str]) -> Cast:
    """A cast of characters or bare ids. Raises `InputError` when an id appears twice."""
    characters = [_as_character(member) for member in members]
    counts = Counter(character.id for character in characters)
    for id, number in counts.items():
        if number > 1:
            raise InputError(f"character {id!r} appears twice in the cast. Use each id once.")
    return Cast(members=tuple(characters))


def _as_character(member: Character | str) -> Character:
    if isinstance(member, str | Character):
        return Character(member) if isinstance(member, str) else member
    raise InputError(f"cast: {quoted(member)} must be a Character or an id as text, not {type(member).__name__}.")
