"""Where everybody is when a message is said: near the speaker, elsewhere, or not placed by the story yet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from earwitness.patterns import lazy_pattern
from earwitness.places import holders, parts
from earwitness.records.moment import Moment, Movement
from earwitness.records.state import PERCEIVES_NOTHING, Condition, State, Whereabouts
from earwitness.shared_values import chosen

from .movements import Move, is_place
from .names import fold

UNNAMED = State().current_scene
APART_FROM_ALL = "apart "
"""How the id of a place begins where nobody is but those who left together."""
_HERE = frozenset(
    ("room", "scene", "stage", "place", "area", "group", "party", "circle", "conversation", "company", "table", "door")
)
_WORD = lazy_pattern(r"[^\W_]+")
_ARTICLES = frozenset({"the", "a", "an"})


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The place a message is said at, and who is there. The current scene, or a place apart from it."""

    state: State
    """The state before the message."""
    place: str | None
    """The place apart; `None` is the current scene."""
    near: tuple[str, ...]
    """Ids of those there, sorted, so that no answer hangs on the order in which they were listed."""

    @classmethod
    def at(cls, moment: Moment, place: str | None) -> Surroundings:
        """The scene at a place apart, or the current one."""
        if place is None:
            there: Sequence[str] = moment.state.here
        else:
            wheres = moment.whereabouts
            there = chosen(wheres, wheres.values(), lambda where: _is_apart_at(where, place))
        return cls(moment.state, place, tuple(sorted(filter(moment.cast.by_id.__contains__, there))))

    @classmethod
    def where_said(cls, moment: Moment) -> Surroundings:
        """The scene at the place where the host says that the message is said."""
        scene = moment.message.scene
        return cls.at(moment, None if scene == moment.state.current_scene else scene)

    @classmethod
    def around(cls, moment: Moment, centre: Iterable[str], otherwise: str | None = None) -> Surroundings:
        """The scene around the first of these characters whose place is known; else at the place given."""
        known = (where for id in centre if (where := moment.whereabouts.get(id)) and (where.here or where.place))
        where = next(known, None)
        if where is None:
            return cls.at(moment, otherwise)
        return cls.at(moment, None if where.here or where.place == moment.state.current_scene else where.place)

    @classmethod
    def narrated_place(cls, moment: Moment, text: str) -> str | None:
        """The place apart that a narration names, if people are known to be there."""
        spaced_words = f" {' '.join(_place_words(text))} "
        apart = sorted({where.place for where in moment.whereabouts.values() if where.place and not where.here})
        if (whole := next((place for place in apart if _names_place(place, spaced_words)), None)) is not None:
            return whole
        named = [place for place in apart if holders(place) and _names_place(parts(place)[-1], spaced_words)]
        return named[0] if len(named) == 1 else None

    @property
    def places(self) -> Mapping[str, Whereabouts]:
        """Character id → where they are."""
        return self.state.whereabouts

    def unplaced(self, id: str) -> bool:
        """The story has not said where they are: neither here nor gone."""
        return id not in self.places

    def condition(self, id: str) -> Condition:
        """How they are, as far as the story has told."""
        where = self.state.whereabouts.get(id)
        return "awake" if where is None else where.condition

    def may_fade(self, id: str) -> bool:
        """Whether silence may mean that somebody near went unseen."""
        return _may_fade(self.places[id])

    @property
    def who_may_fade(self) -> list[str]:
        """Those near who may fade."""
        return chosen(self.near, map(self.places.__getitem__, self.near), _may_fade)

    def lies(self, id: str) -> bool:
        """Whether they are at this place and perceive nothing."""
        where = self.places.get(id)
        place = self.place or self.state.current_scene
        return where is not None and where.condition in PERCEIVES_NOTHING and where.place == place

    def since(self, id: str) -> str:
        """Since when somebody near has been there, in words."""
        return self.since_of(self.state.whereabouts[id])

    def since_of(self, where: Whereabouts) -> str:
        """The same, by where they are."""
        place = f"in {self.place}" if self.place else "here"
        return f"{place} since message {where.since}" if where.since else place

    def known_place(self, written: str) -> str | None:
        """The known place that a text's words mean: its name (`the Dragon's Lair`), its path, or its last part."""
        words, names = _place_words(written), self.state.place_names
        known = (self.state.current_scene, *names, *sorted(self.state.places))
        for id in known:
            if words in (_place_words(id), _place_words(names.get(id, id))):
                return id
        ends = {id for id in known if holders(id) and _place_words(parts(id)[-1]) == words}
        around = {id for id in ends if parts(id)[0] in parts(self.state.current_scene)[:1]}
        return next(iter(around or ends)) if len(around or ends) == 1 else None

    def movement(self, move: Move, *, narrated: bool) -> Movement | None:
        """What a coming or going in the text means here; `None` when it changes nothing. `narrated` = by a narrator."""
        if move.kind != "enter" and move.kind != "leave":
            return self._becoming(move, move.kind, narrated=narrated)
        if move.kind == "leave":
            if move.id not in self.near and not self.unplaced(move.id) and not self.lies(move.id):
                return None
            return Movement(character=move.id, kind="leave", evidence=f"left: {move.evidence!r}")
        if self.condition(move.id) in ("unconscious", "dead"):
            return None
        place = self._destination(move, narrated=narrated)
        if place is None:
            return None
        if place == self.state.current_scene:
            return Movement(character=move.id, kind="enter", evidence=f"entered: {move.evidence!r}")
        return Movement(character=move.id, kind="move", place=place, evidence=f"went to {place}: {move.evidence!r}")

    def _becoming(self, move: Move, condition: Condition, *, narrated: bool) -> Movement | None:
        """The dead stay dead until they speak or the host says so; who was never here is not here by hiding."""
        was = self.condition(move.id)
        if was in ("dead", condition) or (self.unplaced(move.id) and condition == "hiding" and not narrated):
            return None
        if condition == "awake" and was == "on_call":
            return None
        return Movement(
            character=move.id, kind="become", condition=condition, evidence=f"{condition}: {move.evidence!r}"
        )

    def arrival(self, id: str, evidence: str) -> Movement:
        """Somebody is found to be where the message is said."""
        if self.place is None:
            return Movement(character=id, kind="enter", evidence=evidence)
        return Movement(character=id, kind="move", place=self.place, evidence=evidence)

    def _destination(self, move: Move, *, narrated: bool) -> str | None:
        """Where a move leads: the id of a place, `None` for nowhere else."""
        scene = self.state.current_scene
        if move.place is None and self.place is not None and move.id not in self.near:
            return self.place  # `Ann comes in`, told where others are apart
        if move.place is None or _HERE.issuperset(_place_words(move.place)):
            return scene
        if (known := self.known_place(move.place)) is not None:
            return known
        unnamed_but_peopled = scene == UNNAMED and bool(self.state.here)
        if move.id in self.near and self.place is None:
            return None if unnamed_but_peopled or not is_place(move.place) else "_".join(_place_words(move.place))
        return "_".join(_place_words(move.place)) if narrated and not unnamed_but_peopled else scene


def _may_fade(where: Whereabouts) -> bool:
    """Not if the host put them there, nor if they hide."""
    return not where.certain and where.condition != "hiding"


def _is_apart_at(where: Whereabouts, place: str) -> bool:
    return not where.here and where.place == place and where.condition not in PERCEIVES_NOTHING


def _names_place(place: str, spaced_words: str) -> bool:
    return f" {' '.join(_place_words(place))} " in spaced_words


def _place_words(written: str) -> tuple[str, ...]:
    words = _WORD.findall(fold(written))
    return tuple(word for word in words if word not in _ARTICLES)
