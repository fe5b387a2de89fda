"""The detector `addressees` keeps the contract of every detector."""

from earwitness.testing.detector import DetectorSuite
from earwitness_plugins.detectors.addressees import AddresseesDetector


class TestAddressees(DetectorSuite):
    tells_talk_from_presence = "says who is spoken to, not who hears it"

    def make_detector(self) -> AddresseesDetector:
        return AddresseesDetector()
