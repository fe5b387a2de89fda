"""A session as its plans have made it: cast, state, and what everybody has been told and shown of the others."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..ids import MemoryIds
from .base import Record
from .character import Cast
from .disguise import Unmasking, Worn, hidden_from
from .plan import Plan
from .state import State


class Snapshot(Record):
    """A session as of the last entry whose plan is recorded."""

    id: str
    """Session id."""
    cast: Cast = Cast()
    """Everybody in the session."""
    state: State = State()
    """The state."""
    news_seen: dict[str, int] = {}
    """Character id → number of the last entry whose news this character has been told. What is left for one channel
    alone is counted by the id, a line break, and the channel."""
    joined: dict[str, int] = {}
    """Character id → number of the entry with which they joined. Before that, the id was somebody else's."""
    guises: dict[str, str] = {}
    """Character id → the name under which they last spoke, for those who are in disguise."""
    masks: dict[str, tuple[str, ...]] = {}
    """Character id → every name under which they have spoken in disguise, the last one last."""
    unmaskings: tuple[Unmasking, ...] = ()
    """What was revealed of them, and to whom."""
    decided: int = 0
    """Number of the last entry whose plan is recorded."""
    parent: str | None = None
    """Id of the session that it was forked from."""
    forked_at: int | None = None
    """Number of the last entry that it shares with its parent."""
    origin: str | None = None
    """Id of the session after which its memories' ids are derived; `None` = its own. A branch may share memories."""
    unfinished: bool = False
    """Whether it is a branch or an import that is still being written, and cannot be opened yet."""

    @property
    def ids(self) -> MemoryIds:
        """How the ids of its memories are derived."""
        return MemoryIds(self.id, self.origin or self.id, self.origin or self.parent)

    def after(self, plan: Plan) -> Snapshot:
        """The session after this plan. A pure fold: `reduce(Snapshot.after, plans, first)`."""
        return self.model_copy(
            update={
                "cast": self.cast if plan.cast is None else plan.cast,
                "state": plan.state_after(self.state),
                "news_seen": self._news_seen_after(plan),
                "joined": self.joined_after(plan),
                "decided": plan.sequence,
                **self._disguises_after(plan),
            }
        )

    def hidden_from(self, owner: str, worn: Worn, place: str | None) -> dict[str, str]:
        """Those of these disguises that the owner of a container has not seen through, in what was heard there."""
        return hidden_from(owner, worn, self.unmaskings, place)

    def name_of(self, character: str, speak_as: str | None, hidden: Worn) -> str:
        """The name of a character who spoke, for somebody to whom these disguises are `hidden`."""
        own = self.cast.name_of(character)
        return hidden.get(character) or (own if speak_as is None else f"{own} (as {speak_as})")

    def wearer(self, name: str) -> str | None:
        """Id of the one who alone has spoken in disguise under this name; `None` if it is anybody's own name."""
        found = self.wearers(name)
        return found[0] if len(found) == 1 else None

    def wearers(self, name: str) -> Sequence[str]:
        """Ids of those who have spoken in disguise under this name; none if it is anybody's own name."""
        if not self.masks or self.cast.called(name):
            return ()
        return [id for id in self.masks if self.mask_called(name, id)]

    def mask_called(self, name: str, character: str) -> str | None:
        """The mask of a character with this name, in any letter case, as it was first written."""
        given = " ".join(name.split()).casefold()
        return next((each for each in self.masks.get(character, ()) if each.casefold() == given), None)

    def _disguises_after(self, plan: Plan) -> dict[str, object]:
        found: dict[str, object] = {} if plan.unmaskings is None else {"unmaskings": plan.unmaskings}
        said = plan.message.message if plan.message else None
        if said is not None and said.sequence == plan.sequence and (said.speak_as or said.speaker in self.guises):
            found["guises"] = {id: name for id, name in self.guises.items() if id != said.speaker}
            if said.speak_as:
                found["guises"] = {**self.guises, said.speaker: said.speak_as}
                earlier = [name for name in self.masks.get(said.speaker, ()) if name != said.speak_as]
                found["masks"] = {**self.masks, said.speaker: (*earlier, said.speak_as)}
        return found | (self._disguises_without(plan.forgotten) if plan.forgotten and self.masks else {})

    def _disguises_without(self, forgotten: Collection[str]) -> dict[str, object]:
        """Whoever joins under the id of somebody who is forgotten wears and knows no disguise."""
        left = [each for each in self.unmaskings if each.character not in forgotten]
        return {
            "guises": {id: name for id, name in self.guises.items() if id not in forgotten},
            "masks": {id: names for id, names in self.masks.items() if id not in forgotten},
            "unmaskings": tuple(each.without(forgotten) for each in left),
        }

    def _news_seen_after(self, plan: Plan) -> dict[str, int]:
        seen = {**self.news_seen, **plan.news_seen}
        if not plan.forgotten:
            return seen
        return {id: number for id, number in seen.items() if id.partition("\n")[0] not in plan.forgotten}

    def joined_after(self, plan: Plan) -> dict[str, int]:
        """With which entry everybody joined who is in the cast after this plan."""
        if plan.cast is None:
            return self.joined
        return {id: self.joined.get(id, 0) if id in self.cast else plan.sequence for id in plan.cast.ids}
