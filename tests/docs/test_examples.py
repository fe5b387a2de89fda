"""The host among the examples is right at the first run, and a second run changes nothing."""

import os
import subprocess
import sys
from pathlib import Path

from earwitness_plugins.testing.model import Scripted, ScriptedAnswer, ScriptedModel, ScriptedRequest

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


SCENES = """\
=== Gossip among friends
--- prompt for Vaggie (private_channel)
You are Vaggie.
<earwitness-memories>
1. Charlie told you (day 1): Sam, on day 1: I have had some troubles at work.
</earwitness-memories>
Vaggie: Charlie mentioned you were having some troubles.
--- prompt for Angel Dust (private_channel)
You are Angel Dust.
<earwitness-memories>
1. Sam, on day 1: My shoes are wet.
</earwitness-memories>
charlie: heard it from sam on day 1
vaggie: was told by charlie on day 1
angel_dust: nothing found
sam: said it on day 1
=== An omniscient pantheon
--- prompt for Hera (private_channel)
You are Hera.
<earwitness-memories>
1. You witnessed: Sam, on day 1: Zeus, I have stolen an apple.
</earwitness-memories>
Hera: I saw the apple in your hand, Sam.
sam: I will bring it back.
  sam: speaker (1.00: said it)
  hermes: present (1.00: the host said so)
  hera: would learn it on day 1 (witnessed sam saying it; olympus:propagate_all)
  zeus: would learn it on day 1 (witnessed sam saying it; olympus:propagate_all)
=== A private bubble, reconciled later
--- prompt for Charlie (dm)
You are Charlie.
<earwitness-memories>
1. Sam, on day 1: I have been a vampire for a hundred years.
</earwitness-memories>
Charlie: Your secret is safe, vampire.
--- prompt for Charlie (dm)
You are Charlie.
--- prompt for Vaggie (private_channel)
You are Vaggie.
vampire-au: personal, append, 2 memories (dry run)
  add for charlie, in persona-sam-charlie: Sam: I have been a vampire for a hundred years.
  add for charlie, in persona-sam-charlie: Charlie: Your secret is safe, vampire.
--- prompt for Charlie (dm)
You are Charlie.
<earwitness-memories>
### From earlier stories with them
1. Reconciled: Sam: I have been a vampire for a hundred years.
2. Reconciled: Charlie: Your secret is safe, vampire.
</earwitness-memories>
--- prompt for Charlie (private_channel)
You are Charlie.
"""


def test_three_scenes_of_who_tells_whom_play_to_the_end_and_print_the_prompts_they_lead_to(
    checkout: Path, tmp_path: Path
) -> None:
    host = [sys.executable, str(checkout / "examples" / "who_tells_whom.py"), str(tmp_path)]
    done = subprocess.run(host, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (SCENES, "")
    assert "Vaggie: Charlie mentioned you were having some troubles." in done.stdout


def test_a_small_host_says_what_it_lacks(checkout: Path, tmp_path: Path) -> None:
    host = [sys.executable, str(checkout / "examples" / "host_app.py")]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OPENAI_")}
    for words, why in {(): "Name a file", (str(tmp_path / "story.db"), "m"): "Set OPENAI_API_KEY"}.items():
        done = subprocess.run([*host, *words], env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert why in done.stderr
        assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_small_host_talks_with_several_characters_who_know_what_they_heard(checkout: Path, tmp_path: Path) -> None:
    def script(request: ScriptedRequest) -> Scripted:
        if "boom" in request.text:
            return ScriptedAnswer(status=401, error="no such key")
        thought = "<think>He must not know that I <3 gold.</think>\n"
        return f"{thought}Tom <3 here." if "You are Tom" in request.text else "\x1b[2JMira here."

    lines = '*whispers to Mira* "I am the heir."\nTom, what do you know of me?\nAnd of Mira?\n'
    host = checkout / "examples" / "host_app.py"
    assert len(host.read_text("utf-8").splitlines()) < 80
    with ScriptedModel(script) as model:
        environment = {**os.environ, "OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": model.key}
        command = [sys.executable, str(host), str(tmp_path / "story.db"), "scripted"]
        done = subprocess.run(command, input=lines, env=environment, capture_output=True, text=True, check=True)
        again = subprocess.run(
            command, input="Mira?\nMira, boom!\nTom?\n", env=environment, capture_output=True, text=True, check=True
        )
    assert done.stdout.splitlines() == [
        "   heard by mira",
        "Mira: [2JMira here.",
        "   heard by mira, tom",
        "Tom: Tom <3 here.",
        "   heard by mira, tom",
        "Tom: Tom <3 here.",
    ]
    assert again.stdout.splitlines()[1] == "Mira: [2JMira here."
    assert "Mira does not answer" in again.stdout
    assert "no such key" in again.stdout
    told, asked, once_more, later, *_ = [each.text for each in model.requests]
    assert "I am the heir" in told
    assert "I am the heir" not in asked + once_more
    assert "what do you know of me" in later
    assert "Tom is a smith" in asked
    assert "Tom is a smith" not in told
