"""Written by scripts/generate_sync.py from the asynchronous `Session`. To change it, change that: `make sync`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..lore import Lore
from ..records.channel import Channel
from ..records.character import Character
from ..records.journal import Original
from ..records.update import Audience, Update
from ..session import Session as AsyncSession
from .loop import Mirror
from .outcome import Outcome


class SessionChanges(Mirror[AsyncSession]):
    """What changes a story besides its messages."""

    def change(
        self,
        *,
        description: str | None = None,
        audience: Audience | list[str] = "present",
        updates: Iterable[Update] = (),
        channel: Channel | None = None,
        key: str | None = None,
        **changes: Any,
    ) -> Outcome:
        """Change the state: typed keys, and any of your own, which stay as you spell them (`None` removes one).

        `description` words the change for the world (else plugins do); `audience` says who may know of it: `present`
        (default), `public`, or ids; `channel` where it happened: of a private one, it is told there alone.
        `participants` says whom the host counts into the session; `enter`, `leave` and `move` say who is here.
        `facts={"guild": […]}` are a package's own, as long as the change stands. Raises `InputError`, `UnknownName`."""
        return Outcome(
            self._call,
            self._call(
                self._behind.change,
                description=description,
                audience=audience,
                updates=updates,
                channel=channel,
                key=key,
                **changes,
            ),
        )

    def update(
        self,
        description: str,
        *,
        character: str | None = None,
        type: str | None = None,
        audience: Audience | list[str] = "present",
        channel: Channel | None = None,
        key: str | None = None,
        **metadata: Any,
    ) -> Outcome:
        """Tell the world that something happened: `update("Alice acquired the Sacred Sword", character="alice",
        type="item_acquired")`. With a `character` it is a `character_update`. The rest is as in `change`."""
        return Outcome(
            self._call,
            self._call(
                self._behind.update,
                description,
                character=character,
                type=type,
                audience=audience,
                channel=channel,
                key=key,
                **metadata,
            ),
        )

    def unmask(
        self,
        character: str,
        name: str | None = None,
        *,
        audience: Audience | list[str] = "present",
        description: str | None = None,
        channel: Channel | None = None,
        key: str | None = None,
    ) -> Outcome:
        """Reveal who is behind a name that a character spoke under (`say(…, speak_as=…)`; default: the last one) to the
        `audience`: those `present`, `public`, or ids. All their memories say so from now on, or, where the `channel` is
        private, those of what they heard in it. `character` may be that name. Raises `UnknownName` for another."""
        return Outcome(
            self._call,
            self._call(
                self._behind.unmask,
                character,
                name,
                audience=audience,
                description=description,
                channel=channel,
                key=key,
            ),
        )

    def enter(self, *characters: str, key: str | None = None) -> Outcome:
        """Let these characters enter the current scene."""
        return Outcome(self._call, self._call(self._behind.enter, *characters, key=key))

    def leave(self, *characters: str, to: str | None = None, key: str | None = None) -> Outcome:
        """Let these characters leave the current scene. `to` names a place as in `move`."""
        return Outcome(self._call, self._call(self._behind.leave, *characters, to=to, key=key))

    def move(self, character: str, place: str, *, key: str | None = None) -> Outcome:
        """A character goes to a place: a path (`castle/kitchen`), or the last part of just one known place. Raises
        `UnknownName`, and `InputError` for a place without a name or a last part that several places have."""
        return Outcome(self._call, self._call(self._behind.move, character, place, key=key))

    def channel(
        self, channel: Channel, members: Iterable[str], *, place: str | None = None, key: str | None = None
    ) -> Outcome:
        """Say who is in a channel until you say otherwise: they perceive what is said openly in it, and nobody else.
        The same call with other `members` replaces them; none end it. With a `place`, what is said in the channel is
        said there: its members are put there, and then come and go as the story says. Without one, nobody moves.
        `present` and `audience` of a message count for more. Decided on return. Raises `UnknownName`, and `InputError`
        for a channel without a `channel_id`, or a direct message at a place."""
        return Outcome(self._call, self._call(self._behind.channel, channel, members, place=place, key=key))

    def join(self, *members: Character | str, key: str | None = None) -> Outcome:
        """Add newcomers to the cast. They remember nothing from before but common knowledge. Decided on return.
        Raises `ContainerCollision` when a container would belong to two owners, and `InvalidId`."""
        return Outcome(self._call, self._call(self._behind.join, *members, key=key))

    def prepare(
        self,
        *,
        plot: str | Mapping[str, str] | None = None,
        cards: Mapping[str, str] | None = None,
        examples: Mapping[str, str | Sequence[str]] | None = None,
        lore: Iterable[Lore | Mapping[str, Any] | str] = (),
        originals: Iterable[Original] = (),
        key: str | None = None,
    ) -> Outcome:
        """Give the story what was there before it. Each piece is a permanent memory; a changed one replaces it, and
        all of it again, without a `key`, changes nothing. Everybody knows the `plot`; a mapping names several. A
        character knows its own of `cards` and `examples` (dialogue). `lore` is common knowledge, or known to those in
        `known_by`. `originals` are the files it came from."""
        return Outcome(
            self._call,
            self._call(
                self._behind.prepare, plot=plot, cards=cards, examples=examples, lore=lore, originals=originals, key=key
            ),
        )
