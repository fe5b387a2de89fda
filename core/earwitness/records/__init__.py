"""The design's vocabulary, as frozen values."""
