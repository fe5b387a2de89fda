"""Pictures show who tells whom what, and who learned a message from whom on which day."""

from pathlib import Path

import pytest

from earwitness.errors import InputError
from earwitness_relationships.graph import Relation
from earwitness_relationships.pictures import Diagram, DiagramNode, mermaid, rules_picture, save_picture, spread_picture
from earwitness_relationships.pictures.labels import Curve, Extent, around, best_place
from earwitness_relationships.propagation.records import Spread, Stop, Telling
from earwitness_relationships.rules import rules_text

INN = rules_text(
    """\
inn:
  name: The Inn
  members: [{id: greta, role: leader}, tom, ann]
  relationships:
    - {from: greta, to: tom, type: siblings, rules: [share_direct_interactions, {delay: 2, exclude_private: true}]}
    - {from: tom, to: ann, type: rivals}
gods: {members: [ra, set], rules: {propagate_all: {to: all_members, as: witnessed}}}
"""
)
SPREAD = Spread(
    tellings=(
        Telling(listener="tom", teller="greta", hop=1, day=7, rule="inn:share_direct_interactions"),
        Telling(listener="ann", teller="tom", hop=2, day=9.5, rule="inn:gossip_about_others", trust=0.5),
    ),
    stops=(
        Stop(listener="eve", teller="greta", rule="inn:share_direct_interactions", why="the coin fell against it"),
        Stop(listener="ann", teller="greta", rule="inn:share_direct_interactions", why="fan_out: 1"),
    ),
)


def arrows(picture: Diagram) -> dict[tuple[str, str], tuple[str, str]]:
    return {(each.source, each.target): (each.style, each.label) for each in picture.arrows}


def test_an_arrow_says_what_is_told_how_and_within_which_limits() -> None:
    label = "siblings\nwhat they live (shared)\nnot from direct messages, after 2 days"
    assert arrows(rules_picture(INN))["greta", "tom"] == ("told", label)


def test_a_relation_without_rules_is_a_line_with_its_type() -> None:
    found = arrows(rules_picture(INN, [Relation(source="ann", target="hut", type="OWNS")]))
    assert found["tom", "ann"] == ("related", "rivals")
    assert found["ann", "hut"] == ("related", "OWNS")


def test_what_goes_to_all_members_is_one_arrow_a_teller() -> None:
    picture = rules_picture(INN)
    assert arrows(picture)["ra", "all members of gods"] == ("told", "what they live (witnessed)")
    assert [node.id for node in picture.nodes if node.group == "gods"] == ["ra", "set", "all members of gods"]


def test_days_stand_from_left_to_right_with_those_who_learn_it_then() -> None:
    picture = spread_picture(SPREAD, names={"greta": "Greta"}, day=5)
    assert [(node.label, node.column) for node in picture.nodes] == [
        ("Greta\nperceived it, day 5", 0),
        ("tom\nshared, day 7", 1),
        ("ann\nshared, day 9.5", 2),
        ("eve\nis not told", 3),
    ]


def test_everybody_who_perceived_it_is_there_and_whom_nobody_was_about_to_tell_has_no_arrow() -> None:
    spread = Spread(stops=(Stop(listener="eve", teller="", rule="", why="no rule tells them"),))
    picture = spread_picture(spread, perceived=["greta", "tom"], day=5)
    assert [(node.label, node.column) for node in picture.nodes] == [
        ("greta\nperceived it, day 5", 0),
        ("tom\nperceived it, day 5", 0),
        ("eve\nis not told\nno rule tells them", 1),
    ]
    assert picture.arrows == ()


def test_a_way_that_it_did_not_go_says_why_unless_they_learn_it_otherwise() -> None:
    found = arrows(spread_picture(SPREAD))
    assert found["tom", "ann"] == ("told", "inn:gossip_about_others\nbelieved at 0.5")
    assert found["greta", "eve"] == ("stopped", "the coin fell against it")
    assert ("greta", "ann") not in found


def test_who_is_in_several_pantheons_says_so() -> None:
    picture = rules_picture(rules_text("inn: {name: The Inn, members: [ann]}\ngods: {name: Gods, members: [ann, ra]}"))
    assert [(node.label, node.group) for node in picture.nodes] == [("ann\nalso Gods", "The Inn"), ("ra", "Gods")]


def test_a_drawn_picture_names_the_pantheons(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    save_picture(rules_picture(INN), str(tmp_path / "inn.svg"))
    text = (tmp_path / "inn.svg").read_text("utf-8")
    assert ">The Inn<" in text
    assert ">gods<" in text


def test_labels_of_crossing_arrows_keep_clear_of_each_other_and_of_boxes() -> None:
    size, taken = (60.0, 20.0), [Extent(90, 90, 110, 110)]
    for start, end in (((0, 0), (200, 200)), ((0, 200), (200, 0)), ((0, 100), (200, 100))):
        middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
        place = around(best_place(Curve(start, middle, end), size, taken), size)
        assert [place.overlap(each) for each in taken] == [0] * len(taken)
        taken.append(place)


def test_a_label_for_which_there_is_no_place_stays_in_the_middle() -> None:
    everything = [Extent(-1000, -1000, 1000, 1000)]
    assert best_place(Curve((0, 0), (50, 0), (100, 0)), (10, 10), everything) == (50, 0)


def test_mermaid_frames_each_pantheon() -> None:
    text = mermaid(rules_picture(INN, title="Inn"))
    assert text.startswith('---\ntitle: "Inn"\n---\nflowchart LR\n  subgraph g0["The Inn"]\n    n0["greta"]\n')
    assert '  n1 ---|"rivals"| n2\n' in text
    assert "  class n0,n5 strong\n" in text


def test_text_in_a_picture_is_shown_and_never_obeyed() -> None:
    picture = Diagram(nodes=(DiagramNode(id="x", label='"] --> y\n<script>%% $x$ `end`'),), arrows=())
    text = mermaid(picture)
    assert '["#34;#93; --#62; y<br>#60;script#62;#37;#37; #36;x#36; #96;end#96;"]' in text


def test_svg_holds_its_text_and_is_the_same_every_time(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    save_picture(rules_picture(INN, title="$Inn$"), str(tmp_path / "a.svg"))
    save_picture(rules_picture(INN, title="$Inn$"), str(tmp_path / "b.svg"))
    text = (tmp_path / "a.svg").read_text("utf-8")
    assert text == (tmp_path / "b.svg").read_text("utf-8")
    for words in ("greta", "siblings", "$Inn$", "rivals"):
        assert words in text


def test_png_is_png(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    save_picture(spread_picture(SPREAD), str(tmp_path / "a.png"))
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_many_people_are_drawn_too(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    many = rules_text("inn:\n  members: [" + ", ".join(f"m{n}" for n in range(60)) + "]\n  rules: [propagate_all]\n")
    save_picture(rules_picture(many), str(tmp_path / "a.svg"))
    assert "m59" in (tmp_path / "a.svg").read_text("utf-8")


def test_mermaid_needs_no_drawing_library(tmp_path: Path) -> None:
    save_picture(rules_picture(INN), str(tmp_path / "a.mmd"))
    assert (tmp_path / "a.mmd").read_text("utf-8").startswith("flowchart LR")


def test_another_ending_is_refused_with_those_that_work(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    with pytest.raises(InputError, match=r"'\.doc' is not the ending of a picture\. Endings: .*\.mmd.*\.svg"):
        save_picture(rules_picture(INN), str(tmp_path / "a.doc"))
