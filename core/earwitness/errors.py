"""Every error Earwitness raises on purpose.

::

    EarwitnessError
    ├── InputError                what was handed in cannot be used
    │   ├── UnknownName           a character, session, strategy, plugin or key nobody registered
    │   ├── InvalidId             an id that cannot name a session, a character or a message
    │   ├── InvalidFilter         a metadata filter outside the grammar
    │   ├── SettingsError         earwitness.toml, or settings from code
    │   ├── StoryError            a story, transcript or card file
    │   ├── KeyConflict           a message key that already belongs to another text
    │   └── ContainerCollision    two owners would share one container
    ├── NotOpen                   an instance was used while it was closed, after a fork, or on another event loop
    ├── NotDecided                an outcome was read before it was decided
    ├── WallError                 a read or a fill that would cross a wall
    ├── NotPermitted              a backstage role asked for what it may not see or do
    ├── StrategyError             a strategy could not be made, opened or closed, failed, or answered nonsense
    ├── PluginError               a plugin failed, and the host asked for `strict`
    └── StorageError              the ledger or a store could not do its work; nothing acknowledged is lost
        ├── NotYetApplied         what was decided has not reached the store in time
        ├── PartialWrite          a store has written only a part of a batch; the rest is tried again
        │   └── MemoriesRefused   a store refuses some memories for good; the others pass them
        ├── StorageFull           no space left on the device
        ├── StorageLocked         another process has locked the file for too long
        ├── StorageCorrupt        the file is not an Earwitness store, or is damaged
        ├── StorageReplaced       the file or its log was deleted or replaced while it was open
        ├── SchemaMismatch        the file was written by a newer Earwitness
        └── EmbedderMismatch      the file's vectors were made by another embedder
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches

LONGEST_QUOTE = 500
LONGEST_MESSAGE, LONGEST_END = 1_900, 500
"""Bytes of a message, and of its end, which says what to do."""


class EarwitnessError(Exception):
    """The root of all errors that Earwitness raises on purpose. What it says is valid text below 2 KB."""

    def __init__(self, *args: object) -> None:
        super().__init__(*(shortened(each) if isinstance(each, str) else each for each in args))


class InputError(EarwitnessError, ValueError):
    """An argument or file cannot be used. Nothing was changed."""


class UnknownName(InputError):
    """Nothing is registered under this name. The message lists the names that exist."""


class InvalidId(InputError):
    """The id cannot name a session, a character or a message. The message says what an id may hold."""


class InvalidFilter(InputError):
    """A metadata filter outside the grammar of `earwitness.filters`."""


class SettingsError(InputError):
    """Settings cannot be used. For a settings file, the message names file and line."""


class StoryError(InputError):
    """A story, transcript or card cannot be read. The message names file and line. Nothing was imported."""


class KeyConflict(InputError):
    """The key belongs to another message. To change a message, use `edit` or `reroll`."""


class ContainerCollision(InputError):
    """Two owners would share one container name. Choose another session or character id."""


class NotOpen(EarwitnessError):
    """An instance or session was used while it was closed, in a forked process, or on another event loop."""


class NotDecided(EarwitnessError):
    """An outcome was read before its `decided()` or `settled()` had returned: await one of them first."""


class WallError(EarwitnessError):
    """A read or a fill would carry memories across a wall. It is refused, never narrowed silently."""


class NotPermitted(EarwitnessError):
    """A backstage role asked for what it may not see or do. The message says which roles may."""


class StrategyError(EarwitnessError):
    """A strategy failed while it was made, opened, asked or closed, or answered something unusable."""


class PluginError(EarwitnessError):
    """A plugin failed while `strict=True`; without it the failure is only named in the report."""


class StorageError(EarwitnessError):
    """The ledger or a store could not do its work. What was acknowledged before is safe."""


class NotYetApplied(StorageError):
    """What was decided has not reached the store in time. Nothing is lost; it is applied once the store answers."""


class PartialWrite(StorageError):
    """A store has put or removed only a part of a batch. It names what it has done; the rest is tried again."""

    def __init__(self, message: str = "only a part was written", written: Mapping[str, Iterable[str]] | None = None):
        """`written` is what was put or removed: container name → memory ids."""
        super().__init__(message)
        self.written = {container: frozenset(ids) for container, ids in (written or {}).items()}
        """What was put or removed: container name → memory ids."""

    def names(self, container: str, id: str) -> bool:
        """Whether this memory was put or removed."""
        return id in self.written.get(container, ())


class MemoriesRefused(PartialWrite):
    """A store refuses some memories of a batch, and would again, such as a text that is too long for it.

    It names them, and what it has written. What it names as neither is put again at once; what it refuses is kept as a
    pending delivery, and holds nothing else up. For what concerns all memories, such as a key that is not valid, raise
    `StorageError`: then everything waits.
    """

    def __init__(
        self, refused: Mapping[str, Mapping[str, str]], written: Mapping[str, Iterable[str]] | None = None
    ) -> None:
        """`refused` is container name → memory id → why; `written` as for `PartialWrite`."""
        first = next(((name, id, why) for name, of in refused.items() for id, why in of.items()), ("", "", "nothing"))
        more = sum(map(len, refused.values())) - 1
        others = f" and {more} more" if more > 0 else ""
        super().__init__(f"memory {quoted(first[1])} of {quoted(first[0])}{others}: {first[2]}", written)
        self.refused = {name: {id: shortened(why) for id, why in of.items()} for name, of in refused.items()}
        """What is refused: container name → memory id → why."""

    def why(self, container: str, id: str) -> str | None:
        """Why this memory is refused; `None` if it is not."""
        return self.refused.get(container, {}).get(id)


class StorageFull(StorageError):
    """No space is left on the device. Free some and repeat the call; nothing was written in part."""


class StorageLocked(StorageError):
    """Another process has locked the file for longer than the configured wait."""


class StorageCorrupt(StorageError):
    """The file is not an Earwitness store, or it is damaged. It was left untouched."""


class StorageReplaced(StorageError):
    """The file or its log was deleted or replaced while it was open. The call was not acknowledged: open it again."""


class SchemaMismatch(StorageError):
    """The file was written by a newer Earwitness. Update, or open a copy with the version that wrote it."""


class EmbedderMismatch(StorageError):
    """The file's vectors come from another embedder. Open it with that one, or re-embed it."""


def quoted(value: object) -> str:
    """A value as an error quotes it: shortened, and by its type where it cannot be shown."""
    try:
        text = repr(value)
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - a stranger's object may raise anything, and nested values go too deep
        return f"<a {type(value).__name__} that cannot be shown>"
    return text if len(text) <= LONGEST_QUOTE else f"{text[: LONGEST_QUOTE - 1]}…"


def shortened(text: str) -> str:
    """Text as an error shows it: without its middle if it is long, and with half an emoji escaped."""
    data = text.encode("utf-8", "backslashreplace")
    if len(data) <= LONGEST_MESSAGE:
        return data.decode()
    begin, end = data[: LONGEST_MESSAGE - LONGEST_END], data[-LONGEST_END:]
    return f"{begin.decode(errors='ignore')} […] {end.decode(errors='ignore')}"


def named(error: BaseException) -> str:
    """What was raised and what it says, as text that can be kept whatever the error is made of."""
    try:
        said = str(error)
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - a stranger's error may raise while it is shown
        said = "(what it says cannot be shown)"
    return f"{type(error).__name__}: {said}".encode("utf-8", "backslashreplace").decode()


def unknown(
    kind: str, name: object, valid: Iterable[str], also: Mapping[str, Sequence[str]] | None = None
) -> UnknownName:
    """Build the one message for an unknown name: the bad value, the valid ones, the likeliest meant.

    `also` is an id → its other names. They are shown behind it, as in `bob (Robert)`.
    """
    others = also or {}
    ids = sorted(valid)
    shown = (f"{id} ({', '.join(others[id])})" if others.get(id) else id for id in ids)
    meant = did_you_mean(name, [*ids, *(each for id in ids for each in others.get(id, ()))])
    return UnknownName(f"unknown {kind} {name!r}. Known: {', '.join(shown) or 'none'}.{meant}")


@contextmanager
def about(what: str) -> Iterator[None]:
    """Errors of what was handed in say first which of several it is."""
    try:
        yield
    except InputError as error:
        raise type(error)(f"{what}: {error}") from error


def did_you_mean(given: object, valid: Iterable[str]) -> str:
    """` Did you mean 'alice'?` for the likeliest of what is valid; nothing where none is."""
    meant = likeliest(given, valid)
    return "" if meant is None else f" Did you mean {meant!r}?"


def likeliest(given: object, valid: Iterable[str]) -> str | None:
    """What of all that is valid was most likely meant, in any letter case; `None` where nothing was.

    What alone begins with the words that were given is likelier than what looks like them.
    """
    small: dict[str, str] = {}
    for each in valid:
        small.setdefault(each.casefold(), each)
    name = str(given).casefold()
    longer = [each for each in small if each.startswith(f"{name}_")]
    close = longer if len(longer) == 1 else get_close_matches(name, small, n=1)
    return small[close[0]] if close else None
