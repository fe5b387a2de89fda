"""The host among the examples is right at the first run, and a second run changes nothing."""

import subprocess
import sys
from pathlib import Path

EXPECTED = """\
inn
  Alice: "The map is in the cellar." [Kenji must never hear of it.] | "Then we leave at midnight." | Meet me at the \
bridge. | I will bring the rope. | The landlord waters the beer. | Nobody trusts the miller. | What a cosy place.
  Bob: "The map is in the cellar." | "Then we leave at midnight." | The landlord waters the beer. | Nobody trusts the \
miller. | What a cosy place.
  Kenji: Fresh fish! Who wants fresh fish? | Meet me at the bridge. | I will bring the rope.
  Dora: What a cosy place.
inn-what-if
  Alice: "The map is in the cellar." [Kenji must never hear of it.] | "Then we leave at midnight." | Meet me at the \
bridge. | I stay here and guard the map.
  Bob: "The map is in the cellar." | "Then we leave at midnight." | I stay here and guard the map.
  Kenji: Fresh fish! Who wants fresh fish? | Meet me at the bridge.
"""


def test_a_host_on_three_channels_is_right_at_the_first_run_and_unchanged_at_the_second(
    checkout: Path, tmp_path: Path
) -> None:
    host = [sys.executable, str(checkout / "examples" / "three_channels.py"), str(tmp_path / "story.db")]
    runs = [subprocess.run(host, capture_output=True, text=True, check=False) for _ in range(2)]
    assert [(each.stdout, each.stderr) for each in runs] == [(EXPECTED, "")] * 2
