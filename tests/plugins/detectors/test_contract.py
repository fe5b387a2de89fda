"""Every detector we ship keeps the contract that core asks of one."""

from earwitness.testing.detector import DetectorSuite
from earwitness_plugins.detectors.mentions import Mentions
from earwitness_plugins.detectors.places import Places
from earwitness_plugins.detectors.presence import PresenceDetector
from earwitness_plugins.detectors.recent_speakers import RecentSpeakers
from earwitness_plugins.detectors.vote import Vote


class TestPresence(DetectorSuite):
    def make_detector(self) -> PresenceDetector:
        return PresenceDetector()


class TestVote(DetectorSuite):
    def make_detector(self) -> Vote:
        return Vote()


class TestPlaces(DetectorSuite):
    keeps_whispers = "walls are all that muffles"

    def make_detector(self) -> Places:
        return Places()


class TestRecentSpeakers(DetectorSuite):
    tells_talk_from_presence = "looks only at who spoke"
    keeps_whispers = "looks only at who spoke"

    def make_detector(self) -> RecentSpeakers:
        return RecentSpeakers()


class TestMentions(DetectorSuite):
    tells_talk_from_presence = "takes whoever is named as present"
    keeps_whispers = "looks only at names"

    def make_detector(self) -> Mentions:
        return Mentions()
