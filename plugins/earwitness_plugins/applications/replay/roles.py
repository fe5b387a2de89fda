"""Maps the names in a transcript to the cast of a story, and makes ids of names."""

from __future__ import annotations

import re
from collections.abc import Iterable

from earwitness.display_names import usable_name
from earwitness.ids import MAX_ID, WORLD, blanked
from earwitness.imports import ImportedCharacter, Scene, SceneLine
from earwitness.records.character import Cast, Character, CharacterKind

NARRATOR = "narrator"


class Roles:
    """Maps the names in a scene to characters of a session."""

    def __init__(self, scene: Scene, cast: Cast) -> None:
        """`cast` is the cast of the session, if it exists; a member with the same name plays the part."""
        self._cast = cast
        self._kinds: dict[str, CharacterKind] = dict.fromkeys(scene.personas, "persona")
        self._described = {each.name: each for each in scene.cast}
        self.by_name: dict[str, str] = {}
        free, ids = FreeIds(cast.ids), dict[str, str]()  # usable name → id
        for name in dict.fromkeys((*scene.roster, *(line.speaker for line in scene.lines if line.speaker))):
            same = usable_name(name)
            known = cast.of_name(name)
            ids[same] = known.id if known else ids.get(same) or free.take(self._id(name))
            self.by_name[name] = ids[same]
        self._narrator = next((each for each in scene.cast if each.kind == "narrator"), ImportedCharacter(name=""))
        narrating = next((each.id for each in cast if each.kind == "narrator"), None)
        narrates = any(line.speaker is None for line in scene.lines)
        self.narrator = (narrating or free.take(self._narrator.id or NARRATOR)) if narrates else ""

    def cast(self) -> list[Character]:
        """Characters that are not in the session's cast yet, the narrator last."""
        people = {id: self._character(name, id) for name, id in reversed(self.by_name.items())}
        narrators = [identified(self.narrator, self._narrator, kind="narrator")] if self.narrator else []
        return [each for each in (*reversed(people.values()), *narrators) if each.id not in self._cast]

    def _id(self, name: str) -> str:
        """The id that the source has for a name; else one made of it."""
        return (self._described[name].id if name in self._described else "") or character_id(name)

    def _character(self, name: str, id: str) -> Character:
        described_as = self._described.get(name) or ImportedCharacter(name=name)
        return identified(id, described_as, kind=self._kinds.get(name, described_as.kind))

    def there_at_first(self, scene: Scene) -> tuple[str, ...]:
        """Ids of those who are there from the first line on, where the scene says so."""
        return tuple(dict.fromkeys(self.by_name[name] for name in scene.present or () if name in self.by_name))

    def speaker(self, line: SceneLine) -> str:
        """Character id of the speaker."""
        return self.narrator if line.speaker is None else self.by_name[line.speaker]

    def ids(self, names: Iterable[str] | None) -> tuple[str, ...] | None:
        """Ids of those whom a line names as present or as its audience; `None` where it does not say."""
        return None if names is None else tuple(self.by_name[name] for name in names if name in self.by_name)


def identified(id: str, described_as: ImportedCharacter, *, kind: CharacterKind) -> Character:
    """A character with this id, and everything else that a source says of who it is."""
    more = described_as.model_dump(include={"user_id", "persona_id"})
    return Character(
        id,
        name=described_as.name and usable_name(described_as.name),
        aliases=tuple(map(usable_name, described_as.aliases)),
        kind=kind,
        personality_id=described_as.personality_id or described_as.id or id,
        **more,
    )


# ── ids made of names ────────────────────────────────────────────────────────────────────────────────────────


def session_id(name: str) -> str:
    """A session id made of a scene's id: letters, digits, `.`, `_` and `-`."""
    return re.sub(r"[^\w.-]+", "-", blanked(name)).strip("-")[:MAX_ID] or "scene"


def character_id(name: str) -> str:
    """A character id made of a name: `Lady Capulet` → `lady_capulet`."""
    id = re.sub(r"[\W_]+", "_", blanked(name).casefold()).strip("_")[: MAX_ID - 10] or "somebody"
    return f"{id}_" if id == WORLD else id


class FreeIds:
    """Ids that nobody has: one that is taken gets a number at its end."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._numbers: dict[str, int] = {}
        """Id → the last number tried for it, so that a thousand people of one name take a thousand steps."""

    def take(self, id: str) -> str:
        """The id, or the first one made of it that is free; it is taken from now on."""
        number = self._numbers.get(id, 1)
        while (name := id if number == 1 else f"{id}_{number}") in self._taken:
            number += 1
        self._numbers[id] = number
        self._taken.add(name)
        return name


def distinct(ids: Iterable[str]) -> list[str]:
    """The ids in order, each made unique by a number at its end."""
    free = FreeIds()
    return [free.take(id) for id in ids]
