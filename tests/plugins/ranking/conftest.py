import pytest

from earwitness_plugins.embedders.static import StaticEmbedder


@pytest.fixture(scope="session")
def embedder() -> StaticEmbedder:
    return StaticEmbedder()
