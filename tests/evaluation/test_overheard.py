"""The corpus that lies in the repository is what its card says."""

from pathlib import Path

import pytest

from earwitness.loading.strategies import Strategies
from earwitness_plugins.applications.corpora.check import check
from earwitness_plugins.applications.corpora.folder import read_corpus

OVERHEARD = Path(__file__).parents[2] / "corpora" / "overheard"

pytestmark = pytest.mark.skipif(not OVERHEARD.is_dir(), reason="corpora/overheard is shipped in the repository only")


def test_overheard_is_what_its_card_says() -> None:
    assert check(OVERHEARD, Strategies()).problems == ()


def test_every_scene_of_overheard_has_questions() -> None:
    corpus = read_corpus(OVERHEARD)
    assert {scene.labelled.name for scene in corpus.scenes} == {question.scene for _, question in corpus.questions}
