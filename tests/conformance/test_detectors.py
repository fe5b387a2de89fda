"""The detectors we ship keep the contract, and so does the smallest one a researcher would write."""

from earwitness.records.moment import Moment, Perceived, Presence
from earwitness.testing.detector import DetectorSuite
from earwitness_plugins.detectors.everyone import Everyone
from earwitness_plugins.detectors.rules import RulesDetector


class LastTwo:
    """Whoever spoke in the last two messages was there."""

    async def detect(self, moment: Moment) -> Presence:
        heard = Perceived(probability=0.9, role="present", evidence=("spoke lately",))
        lately = {message.speaker: heard for message in moment.recent[-2:]}
        return Presence(characters={**lately, **Presence.only(moment.message.speaker).characters})


class TestRules(DetectorSuite):
    def make_detector(self) -> RulesDetector:
        return RulesDetector()


class TestEveryone(DetectorSuite):
    tells_talk_from_presence = "takes everybody as present"
    keeps_whispers = "takes everybody as present"

    def make_detector(self) -> Everyone:
        return Everyone()


class TestLastTwo(DetectorSuite):
    tells_talk_from_presence = "looks only at who spoke"
    keeps_whispers = "looks only at who spoke"

    async def make_detector(self) -> LastTwo:
        return LastTwo()
