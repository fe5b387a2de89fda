"""What a story has of the files that go into it already, and what of it they now say differently.

A message is known by its file's name and its number in it. A file that changed what was said cannot be told apart from
one that says something else there, so it is refused before anything is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import dropwhile
from pathlib import Path
from textwrap import shorten

from earwitness.app import Earwitness
from earwitness.errors import KeyConflict
from earwitness.formats import as_said
from earwitness.imports import Imported, Scene, SceneLine
from earwitness.macros import in_message
from earwitness.records.character import Cast
from earwitness.records.journal import Original
from earwitness_plugins.applications.exports.chat import ChatFile
from earwitness_plugins.applications.exports.told import ToldMessage, told_messages
from earwitness_plugins.applications.replay.replay import place_of, spoken
from earwitness_plugins.applications.replay.roles import Roles, session_id

SHOWN = 60
SpokenWords = tuple[str, str]
"""Who speaks (character id), and the text."""


async def as_known(ew: Earwitness, session: str, files: Sequence[Imported]) -> list[Imported]:
    """The files as they go into the story: a chat that it has under another name goes by that name.

    Raises `KeyConflict` for a file that says otherwise, or no longer says, what the story has of it, and for one that
    the story has under other keys. Nothing is written.
    """
    if not any(file.scenes for file in files) or session not in await ew.sessions():
        return list(files)
    story = await ew.open_session(session)
    known = KnownLines(session, story.cast, await told_messages(story))
    originals = (await story.backstage().before()).originals
    found = [known.renamed(file, originals) for file in files]
    for file in found:
        for scene in file.scenes:
            known.check(scene, _chat(file))
    return found


class KnownLines:
    """What a story says now."""

    def __init__(self, session: str, cast: Cast, told: dict[str, ToldMessage]) -> None:
        self._session, self._cast, self._told = session, cast, told

    def renamed(self, file: Imported, originals: Sequence[Original]) -> Imported:
        """The file, under the name of the chat of which the story has most messages at the same places."""
        chat = _chat(file)
        if chat is None or any(key in self._told for key, _ in _lines(file.scenes[0])):
            return file
        for older in originals:
            if older.format == "chat" and self._is(_named(file, older.name).scenes[0]):
                said = f"{chat.name}: this chat is in the story as {older.name}, and goes on as that"
                return _named(file, older.name).model_copy(update={"repairs": (*file.repairs, said)})
        return file

    def _is(self, scene: Scene) -> bool:
        """Whether more than half of what the story has from a chat is in this scene, at the same places."""
        words = self._words(scene)
        mine = self._mine(scene)
        return 2 * sum(key in words and self._says(key, words[key]) for key in mine) > len(mine)

    def check(self, scene: Scene, chat: Original | None) -> None:
        """Raise `KeyConflict` for a scene that says otherwise what the story has of it."""
        words = self._words(scene)
        if changed := [key for key in words if key in self._told and not self._says(key, words[key])]:
            raise self._changed(scene, chat, changed, words)
        if missing := self._missing(scene, chat):
            raise self._gone(_place(scene, chat), missing)
        self._refuse_twice(_place(scene, chat), words)

    def _words(self, scene: Scene) -> dict[str, SpokenWords]:
        """Key → what the scene says, with names in place of macros."""
        roles = Roles(scene, self._cast)
        return {key: self._filled(roles.speaker(line), line.text) for key, line in _lines(scene)}

    def _filled(self, speaker: str, text: str) -> SpokenWords:
        return speaker, in_message(as_said(text), speaker, self._cast)

    def _versions(self, key: str) -> list[SpokenWords]:
        """What was said under a key: as it now reads, and as it was said first."""
        message = self._told[key]
        texts = [each.content for each in message.revisions[-1:]] + [message.first]
        return [self._filled(message.speaker, text) for text in texts]

    def _says(self, key: str, words: SpokenWords) -> bool:
        return words in self._versions(key)

    def _mine(self, scene: Scene) -> list[str]:
        """Keys of the messages that came from a file of this name by their number, without retracted ones."""
        prefix = _prefix(scene)
        return [
            key
            for key, message in self._told.items()
            if key.startswith(prefix) and key.removeprefix(prefix).isdecimal() and not message.retracted
        ]

    def _missing(self, scene: Scene, chat: Original | None) -> list[str]:
        """Keys of messages that the file no longer has. A file whose lines have keys of their own may be a part."""
        if chat is not None:
            there = set(ChatFile.of(chat).rows)  # hidden lines too
        elif any(line.key for line in scene.lines):
            return []
        else:
            there = {f"{_prefix(scene)}{number}" for number in range(len(scene.lines))}
        return [key for key in self._mine(scene) if key not in there]

    def _refuse_twice(self, place: str, words: Mapping[str, SpokenWords]) -> None:
        """Raise `KeyConflict` if most of what would be new is in the story under other keys."""
        new = [said for key, said in words.items() if key not in self._told]
        others = {
            self._versions(key)[0]: key
            for key, message in reversed(list(self._told.items()))
            if key not in words and not message.retracted
        }
        twice = [said for said in new if said in others]
        if (len(twice) > 1 and 2 * len(twice) > len(new)) or (new and self._follows(new[0], words)):
            raise KeyConflict(
                f"{place}: {len(twice)} of {len(new)} new messages are in the story {self._session!r} already, "
                f"{_quoted(twice[0])} as {others[twice[0]]!r}. Everybody would hear them twice, so nothing was "
                "imported. Put the lines that are new into a file of their own, or make the whole a story of its own "
                "with `--into ID`."
            )

    def _follows(self, said: SpokenWords, words: Mapping[str, SpokenWords]) -> bool:
        """Whether the story goes on with this where the file's messages in it end: it was played on, and exported."""
        if not any(key in self._told for key in words):
            return False
        until = list(dropwhile(lambda key: key not in words, reversed(list(self._told))))
        rest = [key for key in list(self._told)[len(until) :] if not self._told[key].retracted]
        return bool(rest) and self._versions(rest[0])[0] == said

    # ── what is said of it ──────────────────────────────────────────────────────────────────────────────────────────

    def _changed(
        self, scene: Scene, chat: Original | None, changed: Sequence[str], words: Mapping[str, SpokenWords]
    ) -> KeyConflict:
        key = changed[0]
        now, then = words[key], self._versions(key)[0]
        more = f" {len(changed) - 1} more of its lines differ." if len(changed) > 1 else ""
        return KeyConflict(
            f"{_place(scene, chat, key)}: it says {_quoted(now)}, and the story {self._session!r} has {_quoted(then)} "
            f"under the key {key!r}. Nothing was imported.{more} {self._advice(scene, key, now)}"
        )

    def _advice(self, scene: Scene, key: str, now: SpokenWords) -> str:
        """What to do about a line that differs: it was changed, or is in the place of another line."""
        moved = any(self._says(each, now) for each in self._mine(scene) if each != key)
        if moved or now[0] != self._told[key].speaker or self._told[key].retracted:
            return "Lines before it were put in or taken out: make the file a story of its own with `--into ID`."
        return (
            f'Change it in the story, and import again: earwitness edit {self._session} {key} "…" '
            "(with --reroll for another swipe)."
        )

    def _gone(self, place: str, missing: Sequence[str]) -> KeyConflict:
        more = f", nor {len(missing) - 1} more that the story has" if len(missing) > 1 else ""
        return KeyConflict(
            f"{place}: it no longer has {_quoted(self._versions(missing[0])[0])}, which the story {self._session!r} "
            f"has under the key {missing[0]!r}{more}. Nothing was imported. Take it out of the story, and import "
            f"again: earwitness retract {self._session} {missing[0]}"
        )


def _chat(file: Imported) -> Original | None:
    """The chat that the file is, if it is one."""
    return next((each for each in file.originals if each.format == "chat" and len(file.scenes) == 1), None)


def _named(file: Imported, name: str) -> Imported:
    """A chat under another file's name."""
    scene = file.scenes[0].model_copy(update={"id": Path(name).stem})
    originals = tuple(each.model_copy(update={"name": name}) for each in file.originals)
    return file.model_copy(update={"scenes": (scene,), "originals": originals})


def _prefix(scene: Scene) -> str:
    return f"{session_id(scene.id)}:"


def _lines(scene: Scene) -> Iterator[tuple[str, SceneLine]]:
    """Key → line, as `replay` tells them."""
    return ((f"{_prefix(scene)}{line.key or number}", line) for number, line in spoken(scene))


def _place(scene: Scene, chat: Original | None, key: str | None = None) -> str:
    """The file, and the line of a message where that is known."""
    if chat is None:
        line = None if key is None else dict(_lines(scene))[key]
        return scene.id if line is None else place_of(scene, line)
    return chat.name if key is None else f"{chat.name}:{ChatFile.of(chat).rows[key][0] + 1}"


def _quoted(words: SpokenWords) -> str:
    return repr(shorten(f"{words[0]}: {words[1]}", SHOWN, placeholder=" …"))
