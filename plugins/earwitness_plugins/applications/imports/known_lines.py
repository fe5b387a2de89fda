"""What a story has of the files that go into it already, and what of it they now say differently.

A message of a transcript is known by its file's name and its number in it. A transcript that changed what was said
cannot be told apart from one that says something else there, so it is refused before anything is written. A chat comes
back from a front end, which changes lines and adds some: see `known_chats`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import shorten

from earwitness.errors import KeyConflict
from earwitness.formats import as_said
from earwitness.imports import Scene, SceneLine
from earwitness.macros import in_message
from earwitness.records.character import Cast
from earwitness_plugins.applications.exports.story_messages import MessagesByKey
from earwitness_plugins.applications.replay.replay import place_of, spoken
from earwitness_plugins.applications.replay.roles import Roles, session_id

from .alignment import SpokenWords

SHOWN = 60


class KnownLines:
    """What a story says now."""

    def __init__(self, session: str, cast: Cast, messages: MessagesByKey) -> None:
        self.session, self.cast, self.messages = session, cast, messages

    def check(self, scene: Scene, place: str) -> None:
        """Raise `KeyConflict` for a transcript that says otherwise, or no longer says, what the story has of it."""
        words = self._words(scene)
        if changed := [key for key in words if key in self.messages and words[key] not in self.versions(key)]:
            raise self._changed(scene, changed, words)
        if missing := self._missing(scene):
            raise self.gone(place, missing)
        self.refuse_twice(place, words)

    def refuse_twice(self, place: str, words: Mapping[str, SpokenWords]) -> None:
        """Raise `KeyConflict` if most of what would be new is in the story under other keys."""
        new = [said for key, said in words.items() if key not in self.messages]
        others = {
            self.versions(key)[0]: key
            for key, message in reversed(list(self.messages.items()))
            if key not in words and not message.retracted
        }
        twice = [said for said in new if said in others]
        if len(twice) > 1 and 2 * len(twice) > len(new):
            raise KeyConflict(
                f"{place}: {len(twice)} of {len(new)} new messages are in the story {self.session!r} already. For "
                f"example, {quoted_words(twice[0])} has the key {others[twice[0]]!r} there. Everybody would hear them "
                "twice, so nothing was imported. Put the new lines into a file of their own, or make the whole file a "
                "story of its own with `--into ID`."
            )

    def versions(self, key: str) -> list[SpokenWords]:
        """What was said under a key: as it now reads first, then as it read before."""
        message = self.messages[key]
        texts = [*(each.content for each in reversed(message.revisions)), message.first]
        return [self.filled(message.speaker, text) for text in dict.fromkeys(texts)]

    def filled(self, speaker: str, text: str) -> SpokenWords:
        """The text with names in place of macros."""
        return speaker, in_message(as_said(text), speaker, self.cast)

    def mine(self, prefix: str) -> list[str]:
        """Keys of the messages that came from a file of this name by their number, without retracted ones."""
        return [
            key
            for key, message in self.messages.items()
            if key.startswith(prefix) and key.removeprefix(prefix).isdecimal() and not message.retracted
        ]

    def _words(self, scene: Scene) -> dict[str, SpokenWords]:
        """Key → what the scene says, with names in place of macros."""
        roles = Roles(scene, self.cast)
        return {key: self.filled(roles.speaker(line), line.text) for key, line in keyed_lines(scene)}

    def _missing(self, scene: Scene) -> list[str]:
        """Keys of messages that the file no longer has. A file whose lines have keys of their own may be a part."""
        if any(line.key for line in scene.lines):
            return []
        there = {f"{prefix_of(scene)}{number}" for number in range(len(scene.lines))}
        return [key for key in self.mine(prefix_of(scene)) if key not in there]

    # ── what is said of it ──────────────────────────────────────────────────────────────────────────────────────────

    def _changed(self, scene: Scene, changed: Sequence[str], words: Mapping[str, SpokenWords]) -> KeyConflict:
        """Lines that differ: they were changed, or are in the place of others."""
        key, now = changed[0], words[changed[0]]
        moved = any(now in self.versions(each) for each in self.mine(prefix_of(scene)) if each != key)
        place = place_of(scene, dict(keyed_lines(scene))[key])
        return self.differs(place, key, now, len(changed), moved=moved)

    def differs(self, place: str, key: str, now: SpokenWords, number: int, *, moved: bool) -> KeyConflict:
        """The error for lines that differ: they were changed, or are in the place of others (`moved`)."""
        more = f" {number - 1} more of its lines differ." if number > 1 else ""
        advice = (
            MOVED if moved or now[0] != self.messages[key].speaker or self.messages[key].retracted else self._edit(key)
        )
        return KeyConflict(
            f"{place}: it says {quoted_words(now)}, and the story {self.session!r} has "
            f"{quoted_words(self.versions(key)[0])} under the key {key!r}. Nothing was imported.{more} {advice}"
        )

    def _edit(self, key: str) -> str:
        return (
            f'Change it in the story, and import again: earwitness edit {self.session} {key} "…" '
            "(with --reroll for another swipe)."
        )

    def gone(self, place: str, missing: Sequence[str]) -> KeyConflict:
        """The error for a file that no longer has what the story has of it."""
        more = f", nor {len(missing) - 1} more that the story has" if len(missing) > 1 else ""
        return KeyConflict(
            f"{place}: it no longer has {quoted_words(self.versions(missing[0])[0])}, which the story {self.session!r} "
            f"has under the key {missing[0]!r}{more}. Nothing was imported. Take it out of the story, and import "
            f"again: earwitness retract {self.session} {missing[0]}"
        )


MOVED = "Lines before it were put in or taken out: make the file a story of its own with `--into ID`."


def prefix_of(scene: Scene) -> str:
    """How the keys of its messages begin."""
    return f"{session_id(scene.id)}:"


def keyed_lines(scene: Scene) -> Iterator[tuple[str, SceneLine]]:
    """Key → line, as `replay` tells them."""
    return ((f"{prefix_of(scene)}{line.key or number}", line) for number, line in spoken(scene))


def quoted_words(words: SpokenWords) -> str:
    """What somebody says, in a few words, for an error."""
    return repr(shorten(f"{words[0]}: {words[1]}", SHOWN, placeholder=" …"))
