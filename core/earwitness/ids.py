"""Ids: the characters they may contain, and how memory ids are derived from what the memories are about."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from unicodedata import category, normalize

from .errors import InvalidId, quoted
from .invisible import IN_LINE
from .patterns import lazy_pattern

MAX_ID = 100
LONGEST_NAME = 300
WORLD = "world"
EVERYBODY = "*"
"""The personality that stands for all of them in memberships."""
NAMED = "#named-"
"""What the keys of revisions begin with that write a name anew."""
PROPOSED = "#derived-"
"""What the keys of memories begin with that a plugin or strategy has proposed with an earlier entry."""
RETOLD = "#retold-"
"""What the keys of tellings by hand begin with that are told anew, since the message was edited."""
PREFIXES = {
    "persona": "persona-",
    "user": "user-",
    "global_canon": "global-canon-",
    "pantheon": "pantheon-",
    "conversation": "conversation-",
}
"""Kind of container that belongs to no session → the prefix of its names."""
_INVISIBLE = lazy_pattern(f"(?! )[{IN_LINE}]")
RESERVED_SESSION_PREFIXES = (*PREFIXES.values(), "personal-canon-")


def check_session_id(id: str) -> str:
    """Return the id of a new or existing session, or raise `InvalidId`."""
    _check("session", id)
    return id


def check_new_session_id(id: str) -> str:
    """Return the id of a new session, or raise `InvalidId`.

    It must not look like a container that has no session, nor like another id.
    """
    check_visible("session id", check_session_id(id))
    for prefix in RESERVED_SESSION_PREFIXES:
        if id.casefold().startswith(prefix):
            raise InvalidId(
                f"session id {id!r} starts with {prefix!r}, which names shared containers. "
                f"Reserved: {', '.join(RESERVED_SESSION_PREFIXES)}. Choose another id."
            )
    return id


def check_character_id(id: str) -> str:
    """Return the id of a character, or raise `InvalidId`. `world` is reserved for the world's container."""
    _check("character", id)
    if id.casefold() == WORLD:
        raise InvalidId(f"character id {id!r} is reserved for the world container. Choose another id.")
    return id


def check_shared_id(what: str, id: str) -> str:
    """Return the id of a persona, user, personality, pantheon or conversation, a container's name or kind, or what
    several memories are one by.

    Raises `InvalidId`.
    """
    _check(what, id, longest=LONGEST_NAME)
    return id


def check_key(key: str) -> str:
    """Return a host's message key, or raise `InvalidId`. Keys that begin with `#` are reserved for Earwitness."""
    _check("message key", key, longest=200)
    if key.startswith("#"):
        raise InvalidId(f"message key {key!r} starts with '#', which marks the keys Earwitness makes. Choose another.")
    return key


def invisible(id: str) -> str | None:
    """The first character of an id that shows nothing, as `U+FE0F`; `None` if there is none.

    Such an id looks like another one. New ids must not have them. Stories that older versions began may.
    """
    if id.isascii():
        return None
    found = _INVISIBLE.search(id)
    return f"U+{ord(found[0]):04X}" if found else None


def blanked(name: str) -> str:
    """A name with a blank in place of each invisible character, so that an id can be made of it."""
    return name if name.isascii() else _INVISIBLE.sub(" ", name)


def without_invisible(name: str) -> str:
    """A name without its invisible characters, except ordinary spaces and line feeds."""
    return name if name.isascii() else _INVISIBLE.sub("", name)


def look(name: str) -> str:
    """What names have in common that a reader takes for one: in any case and width, with invisible characters."""
    return name.casefold() if name.isascii() else normalize("NFKC", without_invisible(name)).casefold()


def with_invisible(ids: Iterable[str]) -> tuple[str, ...]:
    """Those of the ids that have an invisible character."""
    return tuple(id for id in ids if invisible(id))


def check_visible(what: str, id: str) -> str:
    """Return a new id if all of it can be seen, or raise `InvalidId`."""
    if character := invisible(id):
        raise InvalidId(
            f"{what} {id!r} holds {character}, which is invisible: it would look like another id. "
            "Use visible characters only."
        )
    return id


def _check(what: str, id: str, *, longest: int = MAX_ID) -> None:
    if not isinstance(id, str) or not id or len(id) > longest or id != id.strip():
        raise InvalidId(f"{what} {quoted(id)} must be text of 1 to {longest} characters without spaces around it.")
    if any(category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for character in id):
        raise InvalidId(f"{what} {id!r} holds a control or invisible character. Use visible characters only.")


def own_key(sequence: int) -> str:
    """The key of a message to which the host gave none. It is unique in its session; a branch is another session."""
    return f"#{sequence}"


@lru_cache(maxsize=4096, typed=True)  # the same id is asked for repeatedly, from planning a delivery to writing it
def derive(*parts: object) -> str:
    """26 hexadecimal digits (BLAKE2, RFC 7693). Equal parts give equal ids; `("a", "bc")` is not `("ab", "c")`."""
    return _hashed(_joined(*parts))


def _joined(*parts: object) -> str:
    return "".join(["-" if part is None else f"{len(text := str(part))}:{text}" for part in parts])


_prefix = lru_cache(maxsize=64, typed=True)(_joined)
"""What the ids of thousands of copies of one message have in common."""


def _hashed(data: str) -> str:
    return blake2b(data.encode("utf-8", "surrogatepass"), digest_size=13).hexdigest()


def memory_id(session: str, key: str, revision: int, container: str, part: str) -> str:
    """The id of one memory. It is derived, so replaying the message that made the memory gives the same id."""
    return _hashed(f"{_prefix('memory', session, key, revision)}{len(container)}:{container}{len(part)}:{part}")


def delivery_id(memory_id: str, *way: object) -> str:
    """The id of one delivery, from its memory and the way it got there."""
    return _hashed(f"8:delivery{len(memory_id)}:{memory_id}{_prefix(*way)}")


def delivery_ids(memory_ids: Iterable[str], *way: object) -> list[str]:
    """As `delivery_id`, for memories that got there in one way."""
    end = _prefix(*way)
    return [_hashed(f"8:delivery{len(id)}:{id}{end}") for id in memory_ids]


@dataclass(frozen=True, slots=True)
class MemoryIds:
    """Derives the ids of one session's memories.

    A branch that shares the memories of its parent goes on with the parent's ids: what somebody learns again there, of
    something from before the branch, is one more support of the same memory.
    """

    session: str
    """Id of the session."""
    origin: str
    """Id of the session whose ids it goes on with; its own if it shares nothing."""
    forked_from: str | None = None
    """Id of the session where its past began, or of its parent; `None` if it is not a branch."""

    def copies(self, key: str, revision: int, part: str) -> Callable[[str], str]:
        """A function from container to memory id, as `of`: for the copies of one message in the session's containers.

        Thousands may be asked for.
        """
        if self.origin != self.session:
            return lambda container: self.of(key, revision, container, part)
        begin, end = _prefix("memory", self.session, key, revision), f"{len(part)}:{part}"
        return lambda container: _hashed(f"{begin}{len(container)}:{container}{end}")

    def of(self, key: str, revision: int, container: str, part: str) -> str:
        """The id of a memory in one of the session's containers, or in one beyond all sessions."""
        if self.origin == self.session or not container.startswith(f"{self.session}-"):
            return memory_id(self.session, key, revision, container, part)
        return memory_id(self.origin, key, revision, f"{self.origin}{container.removeprefix(self.session)}", part)
