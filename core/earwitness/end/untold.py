"""What has arrived while a sharing rule failed: it is told on once the rule answers again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..engine import UNTOLD
from ..plugin_data import PluginData


class Untold:
    """Key of a message → label of a rule → ids of those whom it has reached meanwhile, and of memories in hubs."""

    def __init__(self, data: Mapping[str, PluginData]) -> None:
        self._data = data.get(UNTOLD, PluginData({}))

    def keep(self, key: str, labels: Iterable[str], owners: Iterable[str]) -> None:
        """These rules have not answered about a message that has reached these characters."""
        kept, reached = self._of(key), list(owners)
        more = {each: [*dict.fromkeys([*kept.get(each, []), *reached])] for each in labels}
        self._write(key, kept | more)

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
