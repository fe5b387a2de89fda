"""Who a chat says that its people are across stories, and what of that an import believes.

A chat may come from anybody. A persona or user of whom this store has memories already could be somebody else's, so
nobody becomes one because a file says so, unless the host does, too.
"""

from __future__ import annotations

from collections.abc import Sequence

from earwitness.app import Earwitness
from earwitness.imports import Imported, ImportedCharacter, Scene
from earwitness.records.character import Cast, Character

IDENTITY = ("user_id", "persona_id", "personality_id")


async def believed(ew: Earwitness, files: Sequence[Imported], cast: Cast, *, personas: bool) -> list[Imported]:
    """The files for a story with this cast; a warning names each identity that is left out or not taken.

    With `personas`, their word counts on which user's persona somebody is, whoever has memories of that persona.
    """
    return [await _believed(ew, file, cast, personas=personas) for file in files]


async def _believed(ew: Earwitness, file: Imported, cast: Cast, *, personas: bool) -> Imported:
    scenes: list[Scene] = []
    warnings: list[str] = []
    for scene in file.scenes:
        people: list[ImportedCharacter] = []
        for given in scene.cast:
            member = cast.of_name(given.name)
            known = member is None and not personas and await _has_memories(ew, given)
            people.append(given.model_copy(update={"user_id": None, "persona_id": None}) if known else given)
            if known or (member is not None and _differs(given, member)):
                warnings.append(f"{scene.id}: {_known_here(given) if known else _stays(given)}")
        scenes.append(scene.model_copy(update={"cast": tuple(people)}))
    more = {"scenes": tuple(scenes), "repairs": (*file.repairs, *warnings)}
    return file.model_copy(update=more) if any(each.cast for each in scenes) else file


async def _has_memories(ew: Earwitness, given: ImportedCharacter) -> bool:
    """Whether this store has memories of the persona or the user."""
    owners = (("persona", given.persona_id), ("user", given.user_id))
    return any([await ew.containers(kind=kind, owner=owner) for kind, owner in owners if owner])


def _differs(given: ImportedCharacter, member: Character) -> bool:
    """Whether the member of the story is somebody else across stories than the chat says."""
    said = {name: value for name in IDENTITY if (value := getattr(given, name))}
    return any(value != getattr(member, name) for name, value in said.items())


def _known_here(given: ImportedCharacter) -> str:
    return (
        f"the chat says that {_said(given)}, of whom this store has memories from elsewhere. That was left out; if it "
        "is so, import the chat with --personas"
    )


def _stays(given: ImportedCharacter) -> str:
    return f"the chat says that {_said(given)}. In this story that is not so, and stays as it is"


def _said(given: ImportedCharacter) -> str:
    """`'Kim' is the persona 'p1' of user 'u7'`."""
    persona = f"the persona {given.persona_id!r}" if given.persona_id else ""
    user = f"user {given.user_id!r}" if given.user_id else ""
    personality = f"the personality {given.personality_id!r}" if given.personality_id else ""
    return f"{given.name!r} is {' of '.join(filter(None, (persona, user))) or personality}"
