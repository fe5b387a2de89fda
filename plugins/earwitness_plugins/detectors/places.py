"""The detector of places: whoever is where the speaker is perceives the message."""

from __future__ import annotations

from earwitness.records.moment import Moment, Perceived, Presence

from .reading.scene import Scene
from .rules import RulesDetector


class Places:
    """Whoever is in the same place perceives a message, and nothing else counts.

    Where everybody is follows the story's comings and goings, as `rules` reads them; that somebody whispers, thinks or
    is spoken to is not asked. For games that keep everybody's place, where walls are all that muffles.
    """

    def __init__(self) -> None:
        self._rules = RulesDetector(fading=False)

    def detect(self, moment: Moment) -> Presence:
        """Everybody near the speaker, and near those a narrator tells of; movements as `rules` reads them."""
        read = self._rules.detect(moment)
        told = moment.cast[moment.message.speaker].kind == "narrator"
        centre = tuple(sorted(read.characters)) if told else (moment.message.speaker,)
        scene = Scene.around(moment, centre)
        where = f"is in {scene.place}" if scene.place else "is here"
        characters = {id: Perceived(probability=1, role="present", evidence=(where,)) for id in scene.near}
        for move in read.movements:
            arrives = move.kind == "enter" or (move.kind == "move" and move.place == scene.place)
            if arrives and moment.cast[move.character].kind != "narrator":
                arrived = Perceived(probability=1, role="present", evidence=(move.evidence,))
                characters.setdefault(move.character, arrived)
        speaker = Perceived(probability=1, role="speaker", evidence=("said it",))
        return Presence(characters={**characters, moment.message.speaker: speaker}, movements=read.movements)
