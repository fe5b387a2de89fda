"""A detector: a class with one method."""

from earwitness import Moment, Perceived, Presence


class LastTwo:
    """Whoever spoke in the last two messages was there."""

    def detect(self, moment: Moment) -> Presence:
        """The speaker, and whoever spoke in the two messages before."""
        speaker = moment.message.speaker
        lately = {message.speaker: message.key for message in moment.recent[-2:] if message.speaker != speaker}
        others = {
            name: Perceived(probability=0.9, role="present", evidence=(f"spoke in {key}",))
            for name, key in lately.items()
        }
        return Presence(characters={**Presence.only(speaker).characters, **others})
