"""Makes a story file of imported files: the cast, what was there before the story, and the first lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from earwitness.imports import Imported, ImportedCharacter, SceneLine
from earwitness.records.channel import Channel
from earwitness.records.character import Cast, Character
from earwitness_plugins.applications.replay.roles import Roles
from earwitness_plugins.applications.stories.reader import step_names
from earwitness_plugins.applications.stories.writer import tidy

from .cast_matcher import newcomer_id
from .merge import MergedFiles, merge


def story_values(
    id: str, title: str, files: Sequence[Imported], user: str | None
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The contents of a story file, and warnings. `user` is the name that `{{user}}` stands for."""
    found = merge(list(_with_speakers(files)), Cast(), user=user, avoid=step_names())
    cast = _cast(found)
    steps, narrators, there = _said(found, cast) if found.scenes else (_greetings(found), (), cast.ids)
    members, renamed = _with_distinct_names((*cast, *narrators))
    values: dict[str, Any] = {"story": id, "title": title, "cast": [_member(each) for each in members]}
    if there:
        values["present"] = list(there)
    if prepare := _before(found):
        values["prepare"] = prepare
    return {**values, "steps": steps or _nothing_yet(cast.ids)}, (*found.warnings, *renamed)


def _with_speakers(files: Sequence[Imported]) -> Iterable[Imported]:
    """The files; those who only speak in their chats are described by name."""
    known = {each.name for file in files for each in file.characters}
    for file in files:
        speakers = {name: scene.personas for scene in file.scenes for name in scene.roster if name not in known}
        known |= speakers.keys()
        more = [
            ImportedCharacter(name=name, kind="persona" if name in personas else "character")
            for name, personas in speakers.items()
        ]
        yield file.model_copy(update={"characters": (*file.characters, *more)}) if more else file


def _cast(found: MergedFiles) -> Cast:
    """The whole cast, with the user's persona if the texts mention the user."""
    cast = Cast(members=found.cast)
    if not found.names_user or cast.resolve(found.user) is not None:
        return cast
    id = newcomer_id(found.user, [*step_names(), *cast.ids])
    return cast.joined([Character(id, name=found.user, kind="persona")])


def _with_distinct_names(members: Iterable[Character]) -> tuple[list[Character], list[str]]:
    """The cast with unique names, and warnings about those who got another name."""
    named: dict[str, Character] = {}
    renamed: list[str] = []
    for member in members:
        name, number = member.name, 1
        while name.casefold() in named:
            name, number = f"{member.name} {number + 1}", number + 1
        if name != member.name:
            renamed.append(f"two are called {member.name!r}: the one with the id {member.id!r} is {name!r} here")
        named[name.casefold()] = member.model_copy(update={"name": name})
    return list(named.values()), renamed


def _member(member: Character) -> dict[str, Any]:
    fields = member.model_dump(mode="json", exclude_defaults=True)
    across = {} if member.personality_id == member.id else {"personality_id": member.personality_id}
    return {**{name: value for name, value in fields.items() if name != "personality_id"}, **across}


def _before(found: MergedFiles) -> dict[str, Any]:
    said = {
        "plot": "\n\n".join(dict.fromkeys(tidy(each) for part in found.parts for each in part.plot.values())),
        "cards": {id: tidy(card) for part in found.parts for id, card in part.cards.items()},
        "examples": {id: list(map(tidy, each)) for part in found.parts for id, each in part.examples.items()},
        "lore": [_lore(each.model_dump(mode="json")) for part in found.parts for each in part.lore],
    }
    return {key: value for key, value in said.items() if value}


def _lore(entry: dict[str, Any]) -> dict[str, Any]:
    """One entry. `known_by: []` means nobody; without `known_by`, everybody knows it."""
    said = {key: value for key, value in entry.items() if value or (key == "known_by" and value is not None)}
    return {**said, "text": tidy(entry["text"])}


def _greetings(found: MergedFiles) -> list[dict[str, Any]]:
    """The first message of each character; in a group, the one meant for groups."""
    alone = len(found.characters) == 1
    firsts = {
        id: next(iter((() if alone else character.group_greetings) or character.greetings), "")
        for id, character in found.characters.items()
    }
    return [{id: tidy(text)} for id, text in firsts.items() if tidy(text)]


def _nothing_yet(ids: Sequence[str]) -> list[dict[str, Any]]:
    """A note, for a story made of cards without first messages."""
    return [
        {"note": f"Nobody has said anything yet. Add lines below, such as  - {next(iter(ids), 'alice')}: Good evening."}
    ]


def _said(found: MergedFiles, cast: Cast) -> tuple[list[dict[str, Any]], tuple[Character, ...], tuple[str, ...]]:
    """What was said in the scenes, their narrators, and the ids of those who are there from the first line on."""
    steps: list[dict[str, Any]] = []
    narrators: dict[str, Character] = {}
    for scene in found.scenes:
        roles = Roles(scene, cast.joined(narrators.values()))
        narrators |= {each.id: each for each in roles.cast()}
        steps += [_step(line, roles, scene.channel) for line in scene.lines if tidy(line.text)]
    first = found.scenes[0]
    return steps, tuple(narrators.values()), Roles(first, cast).there_at_first(first)


def _step(line: SceneLine, roles: Roles, channel: Channel) -> dict[str, Any]:
    """A line as a step: in the short form where it says nothing but who says what."""
    speaker, text, where = roles.speaker(line), tidy(line.text), line.channel or channel
    names = {"channel_id": "channel", "guild_id": "guild", "persona_id": "persona"}
    fields = {names.get(field, field): value for field, value in where.model_dump(exclude_defaults=True).items()}
    fields |= {"speak_as": line.speak_as, "place": None if where.context == "dm" else line.place}
    if line.certain:
        fields |= {"present": _listed(roles.ids(line.present)), "audience": _listed(roles.ids(line.audience))}
    more = {name: value for name, value in fields.items() if value is not None}
    return {"say": {"speaker": speaker, "text": text, **more}} if more else {speaker: text}


def _listed(ids: tuple[str, ...] | None) -> list[str] | None:
    return None if ids is None else list(ids)
