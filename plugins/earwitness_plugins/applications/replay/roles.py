"""Maps the names in a transcript to the cast of a story, and makes ids of names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from earwitness.ids import MAX_ID, WORLD, blanked
from earwitness.imports import Scene, SceneLine
from earwitness.records.character import Cast, Character, CharacterKind

NARRATOR = "narrator"


class Roles:
    """Maps the names in a scene to characters of a session."""

    def __init__(self, scene: Scene, cast: Cast) -> None:
        """`cast` is the cast of the session, if it exists; a member with the same name plays the part."""
        self._cast = cast
        self._kinds: dict[str, CharacterKind] = dict.fromkeys(scene.personas, "persona")
        self.by_name: dict[str, str] = {}
        for name in dict.fromkeys((*scene.roster, *(line.speaker for line in scene.lines if line.speaker))):
            known = _called(name, cast)
            self.by_name[name] = known.id if known else self._free(character_id(name))
        told = next((each.id for each in cast if each.kind == "narrator"), None) or self._free(NARRATOR)
        self.narrator = told if any(line.speaker is None for line in scene.lines) else ""

    def _free(self, id: str) -> str:
        return distinct((*self._cast.ids, *self.by_name.values(), id))[-1]

    def cast(self) -> list[Character]:
        """Characters that are not in the session's cast yet, the narrator last."""
        told = [Character(id, name=name, kind=self._kinds.get(name, "character")) for name, id in self.by_name.items()]
        everybody = [*told, Character(self.narrator, kind="narrator")] if self.narrator else told
        return [each for each in everybody if each.id not in self._cast]

    def speaker(self, line: SceneLine) -> str:
        """Character id of the speaker."""
        return self.narrator if line.speaker is None else self.by_name[line.speaker]

    def present(self, line: SceneLine) -> tuple[str, ...] | None:
        """Ids of those who perceive the line, where the source says so."""
        return (
            None if line.present is None else tuple(self.by_name[name] for name in line.present if name in self.by_name)
        )


def _called(name: str, cast: Cast) -> Character | None:
    return next((each for each in cast if each.name == name), None) or cast.resolve(name)


# ── ids made of names ────────────────────────────────────────────────────────────────────────────────────────


def session_id(name: str) -> str:
    """A session id made of a scene's id: letters, digits, `.`, `_` and `-`."""
    return re.sub(r"[^\w.-]+", "-", blanked(name)).strip("-")[:MAX_ID] or "scene"


def character_id(name: str) -> str:
    """A character id made of a name: `Lady Capulet` → `lady_capulet`."""
    id = re.sub(r"[\W_]+", "_", blanked(name).casefold()).strip("_")[: MAX_ID - 10] or "somebody"
    return f"{id}_" if id == WORLD else id


def distinct(ids: Iterable[str]) -> list[str]:
    """The ids in order, each made unique by a number at its end."""
    found: dict[str, None] = {}
    for id in ids:
        found[_free(id, found)] = None
    return list(found)


def _free(id: str, taken: Mapping[str, None]) -> str:
    number = 1
    while (name := id if number == 1 else f"{id}_{number}") in taken:
        number += 1
    return name
