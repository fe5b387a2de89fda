"""The detector for stories without secrets: the whole cast perceives everything."""

from __future__ import annotations

from earwitness.records.moment import Moment, Perceived, Presence


class Everyone:
    """The whole cast perceives every message. The baseline every other detector has to beat."""

    def detect(self, moment: Moment) -> Presence:
        """Everybody in the cast, for certain; nobody moves."""
        speaker = moment.message.speaker
        present = Perceived(probability=1, role="present", evidence=("everyone perceives everything",))
        said = Perceived(probability=1, role="speaker", evidence=("said it",))
        return Presence(characters={**dict.fromkeys(moment.cast.ids, present), speaker: said})
