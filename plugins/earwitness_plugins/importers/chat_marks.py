"""What a chat says to Earwitness alone: `extra.earwitness` of a line, which other programs keep and do not read.

An export marks each line that it writes, so that an import knows the message again, and tells it to those who
perceived it and to nobody else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, get_args

from earwitness.records.channel import Channel, Context

from .files.lenient import LenientObject, storable

EXTRA = "earwitness"
_IDS = {"channel": "channel_id", "guild": "guild_id", "persona": "persona_id"}
_TEXTS = ("story", "key", "speaker", "text", *_IDS)
_LISTS = ("present", "audience")


@dataclass(frozen=True, slots=True)
class ChatMark:
    """What an export says of one line."""

    story: str | None = None
    """Id of the session that the message is from."""
    key: str | None = None
    """Its key there."""
    speaker: str | None = None
    """Name of the speaker, where the line bears the name of a disguise."""
    channel: Channel | None = None
    """Where it was said; `None` = where the rest of the chat was."""
    present: tuple[str, ...] | None = None
    """Names of those who are there, besides the speaker; `None` leaves that to the text."""
    audience: tuple[str, ...] | None = None
    """Names of those who perceive all of it, besides the speaker; `None` leaves that to the text."""
    text: str | None = None
    """A digest of the text for which all this was said (see `digest`)."""

    @property
    def heard(self) -> ChatMark:
        """What it says of where the line was said and who perceived it, in whichever story, text and order."""
        names: dict[str, Any] = {
            field: None if (who := getattr(self, field)) is None else tuple(sorted(who)) for field in _LISTS
        }
        return replace(self, story=None, key=None, text=None, **names)

    def of(self, text: str) -> ChatMark:
        """The mark as far as it holds for this text.

        If somebody has changed the text since, those who perceived all of the old one are there for the new one. What
        it says in a whisper or in thought stays that.
        """
        if self.audience is None or self.text == digest(text):
            return self
        return replace(self, present=self.audience if self.present is None else self.present, audience=None)

    def values(self) -> dict[str, Any]:
        """The mark as JSON, without what it does not say."""
        said: dict[str, Any] = {"story": self.story, "key": self.key, "speaker": self.speaker, "text": self.text}
        if self.channel is not None:
            said["context"] = self.channel.context
            said |= {name: getattr(self.channel, field) for name, field in _IDS.items()}
        said |= {name: None if (who := getattr(self, name)) is None else list(who) for name in _LISTS}
        return {name: value for name, value in said.items() if value is not None}


def digest(text: str) -> str:
    """What a mark keeps of the text of its line."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def mark_of(row: LenientObject) -> ChatMark | None:
    """The mark of a line. One that cannot be read lets nobody but the speaker perceive the line, and is reported."""
    extra = row.values.get("extra")
    given = extra.get(EXTRA) if isinstance(extra, dict) else None
    if given is None:
        return None
    if not isinstance(given, dict) or not _is_readable(given):
        row.note(f"extra.{EXTRA}", "cannot be read: nobody but the speaker perceives the line")
        return ChatMark(audience=())
    said = {name: storable(given[name]) for name in _TEXTS if name in given}
    ids = {field: said[name] for name, field in _IDS.items() if name in said}
    return ChatMark(
        story=said.get("story"),
        key=said.get("key"),
        speaker=said.get("speaker"),
        text=said.get("text"),
        channel=Channel(context=given["context"], **ids) if "context" in given else None,
        present=_names(given, "present"),
        audience=_names(given, "audience"),
    )


def _is_readable(given: Mapping[str, Any]) -> bool:
    texts = all(isinstance(given[name], str) for name in _TEXTS if name in given)
    lists = all(_is_list(given[name]) for name in _LISTS if name in given)
    return texts and lists and given.get("context", "dm") in get_args(Context)


def _is_list(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _names(given: Mapping[str, Any], key: str) -> tuple[str, ...] | None:
    return tuple(" ".join(storable(each).split()) for each in given[key]) if key in given else None
