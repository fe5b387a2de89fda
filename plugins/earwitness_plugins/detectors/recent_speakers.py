"""The detector that takes for present whoever spoke lately."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import Field

from earwitness.records.message import Message
from earwitness.records.moment import Moment, Perceived, Presence


class RecentSpeakers:
    """Whoever spoke within the last messages perceives this one. Simple, and hard to beat in lively talk."""

    fittable: ClassVar[Mapping[str, tuple[float, float]]] = {"n": (1, 20)}
    """Settings that `earwitness fit` may fit, and their ranges."""

    def __init__(self, *, n: Annotated[int, Field(ge=1)] = 5) -> None:
        """`n` is how many messages count, this one included; a narrator's do not."""
        self.n = n

    def detect(self, moment: Moment) -> Presence:
        """The speakers, the surer the later they spoke; nobody moves."""
        speakers = [message.speaker for message in moment.recent if self._is_heard_here(moment, message)]
        heard = [id for id in speakers if self._is_character(moment, id)]
        lately = heard[1 - self.n :] if self.n > 1 else []
        characters = {
            id: Perceived(probability=1 - 0.5 * ago / self.n, role="present", evidence=(f"spoke {ago} messages ago",))
            for ago, id in zip(range(len(lately), 0, -1), lately, strict=True)
        }
        speaker = Perceived(probability=1, role="speaker", evidence=("said it",))
        return Presence(characters={**characters, moment.message.speaker: speaker})

    @staticmethod
    def _is_heard_here(moment: Moment, message: Message) -> bool:
        """Direct messages say nothing of who is in the scene, nor the other way round."""
        return (message.context == "dm") == (moment.message.context == "dm")

    @staticmethod
    def _is_character(moment: Moment, id: str) -> bool:
        return id in moment.cast and moment.cast[id].kind != "narrator"
