"""`earwitness canon propose`: what a model would keep of a bubble waits for review."""

from pathlib import Path

from earwitness_plugins.testing.model import ScriptedModel

from .conftest import Run

STORY = """\
story: s1
cast: [alice, {id: kim, kind: persona, user_id: u1, persona_id: p1}]
present: [alice, kim]
steps:
  - alice: Good evening.
  - bubble: dream
  - say: {speaker: kim, text: I am an owl., audience: [alice]}
  - end_bubble: dream
"""


def test_it_waits_for_review_and_is_kept_once_approved(run: Run, folder: Path) -> None:
    (folder / "story.yaml").write_text(STORY)
    answer = {"memories": [{"label": "m1", "verdict": "personal", "why": "it is charming"}]}
    with ScriptedModel([answer]) as model:
        table = f'[relationships]\n[model]\nmodel = "scripted"\nbase_url = "{model.url}"\napi_key = "{model.key}"\n'
        (folder / "earwitness.toml").write_text(table)
        assert run("play", "story.yaml").exit_code == 0
        shown = run("canon", "propose", "s1", "dream").output
    assert "dream: 1 proposal, 0 left in the bubble" in shown
    assert "Nothing is kept yet" in shown
    assert "it is charming" in run("review", "show", "s1", run("review", "list", "s1").output.split()[0]).output
    assert "owl" not in run("canon", "show", "s1", "alice").output.partition("dream")[0]
    assert "Approved" in run("review", "approve", "s1", "--all").output
    assert "I am an owl." in run("canon", "show", "s1", "alice").output.partition("dream")[0]
