"""Labelled corpora in folders: where they lie, whether they are what they say, and how far their annotators agree."""
