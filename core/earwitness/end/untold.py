"""What was said, or has arrived, while a sharing rule failed: it is told once the rule answers again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TypeVar

from pydantic import JsonValue

from ..engine import UNTOLD
from ..formats import day_of
from ..ids import WORLD
from ..plugin_data import PluginData
from ..records.plan import Delivery
from ..records.update import Update

N = TypeVar("N")
SAID = WORLD
"""Stands among the owners for the message itself, about which the rule was asked in vain when it was said."""


ON_DAY = "#day "
"""What the name begins with that says on which day a rule was asked that answers later: it tells on that day."""


WITH_ENTRY = "#entry "
"""What the name begins with that says with which entry it was asked: whoever has joined since is told nothing by it."""

MAY_TELL = "#may tell "
"""What the names begin with of those whom a rule may tell that answers later; without any, anybody."""

MOST_NAMED = 500
"""If it may tell more than so many, anybody counts as one of them."""

ASKED_BY = "#asked by "
"""What the name begins with that says which open instance (`Engine.run`) asks: no other one does meanwhile."""


class Untold:
    """Key of a message → label of a rule → ids of those whom it has reached meanwhile, and of memories in hubs.

    With `SAID` among them, the rule has not told anybody of the message yet.
    """

    def __init__(self, data: Mapping[str, PluginData]) -> None:
        self._data = data.get(UNTOLD, PluginData({}))

    def keep(self, key: str, labels: Iterable[str], owners: Iterable[str]) -> None:
        """These rules have not answered about a message that has reached these characters."""
        kept, reached = self._of(key), list(owners)
        more = {each: [*dict.fromkeys([*kept.get(each, []), *reached])] for each in labels}
        self._write(key, kept | more)

    def said(self, key: str, silent: Collection[str]) -> None:
        """A message was said, or reads otherwise now: the `silent` rules have not answered about it, others have."""
        if silent:
            self.keep(key, silent, [SAID])
        elif key in self._data:
            left = {label: [each for each in owners if each != SAID] for label, owners in self._of(key).items()}
            self._write(key, {label: owners for label, owners in left.items() if owners})

    def later(
        self,
        key: str,
        labels: Collection[str],
        day: float,
        entry: int,
        run: str,
        may_tell: Mapping[str, Sequence[str]],
    ) -> None:
        """Of the rules that have not answered, these were asked on this day, with this entry, and answer later, in
        this `run` of a program. Those that `may_tell` names may tell only these characters."""
        kept = self._of(key)
        first = [each for each in labels if day_asked(kept.get(each, ())) is None]
        self.keep(key, first, [f"{ON_DAY}{day!r}", f"{WITH_ENTRY}{entry}"])
        for label in labels:
            self.asked_again(key, label, run)
            if len(listeners := may_tell.get(label, ())) <= MOST_NAMED:
                self.keep(key, [label], [f"{MAY_TELL}{id}" for id in listeners])

    def asked_again(self, key: str, label: str, run: str) -> None:
        """A rule that answers later was asked again, in this `run` of a program."""
        kept = self._of(key)
        if day_asked(owners := kept.get(label, [])) is not None:
            by = f"{ASKED_BY}{run}"
            self._write(key, kept | {label: [*(each for each in owners if not each.startswith(ASKED_BY)), by]})

    def done(self, key: str, label: str) -> None:
        """The rule has answered, or there is nothing left to tell."""
        self._write(key, {each: owners for each, owners in self._of(key).items() if each != label})

    def kept(self) -> list[tuple[str, dict[str, list[str]]]]:
        """What is still to be told on, the longest kept first."""
        return [(key, self._of(key)) for key in self._data]

    def _write(self, key: str, owners_of: Mapping[str, Sequence[str]]) -> None:
        if owners_of:
            self._data[key] = {each: [*owners] for each, owners in owners_of.items()}
        elif key in self._data:
            del self._data[key]

    def _of(self, key: str) -> dict[str, list[str]]:
        found = self._data.get(key)
        of = found if isinstance(found, dict) else {}
        return {each: [*map(str, owners)] for each, owners in of.items() if isinstance(owners, list)}


def day_asked(owners: Iterable[str]) -> float | None:
    """The day on which a rule was asked that answers later; `None` for one that failed, and is asked on another day."""
    return next(_numbers(owners, ON_DAY, float), None)


def entry_asked(owners: Iterable[str]) -> int | None:
    """The number of the entry with which a rule was asked that answers later; `None` for one that failed."""
    return next(_numbers(owners, WITH_ENTRY, int), None)


def may_be_told(owners: Sequence[str], character: str) -> bool:
    """Whether a rule that answers later may tell this character, whom it has not reached."""
    named = [each for each in owners if each.startswith(MAY_TELL)]
    return character not in owners and (not named or f"{MAY_TELL}{character}" in named)


def run_asking(owners: Iterable[str]) -> str | None:
    """The run of a program in which a rule was asked that answers later; `None` where nothing says so."""
    return next((each.removeprefix(ASKED_BY) for each in owners if each.startswith(ASKED_BY)), None)


def runs_asking(untold: Mapping[str, JsonValue]) -> set[str | None]:
    """The runs of programs in which rules were asked that answer later."""
    return {run_asking(owners) for of in answers_later(untold).values() for owners in of.values()}


def _numbers(owners: Iterable[str], beginning: str, number: Callable[[str], N]) -> Iterator[N]:
    """What stands after this beginning; what is not a number, as an imported story may have it, is left out."""
    for each in owners:
        if each.startswith(beginning):
            with suppress(ValueError):
                yield number(each.removeprefix(beginning))


def answers_later(untold: Mapping[str, JsonValue]) -> dict[str, dict[str, list[str]]]:
    """Key of a message → label of a rule that answers later about it → ids of those whom it has reached."""
    found: dict[str, dict[str, list[str]]] = {}
    for key, of in untold.items():
        listed = ((label, each) for label, each in of.items() if isinstance(each, list)) if isinstance(of, dict) else ()
        owners_of = ((label, [*map(str, each)]) for label, each in listed)
        if later := {label: owners for label, owners in owners_of if day_asked(owners) is not None}:
            found[key] = later
    return found


def as_update(delivery: Delivery) -> Update:
    """The update that a delivery for the world container was made of, as far as it is kept; nobody in particular knows
    of it."""
    kept = delivery.metadata
    return Update(
        description=day_of(delivery.body)[0],
        type="character_update" if kept.get("type") == "character_update" else "world_state_update",
        update_type=None if (kind := kept.get("updateType")) is None else str(kind),
        character=None if (who := kept.get("characterId")) is None else str(who),
        audience=(),
        metadata={name: [*value] if isinstance(value, list) else value for name, value in kept.items()},
    )
