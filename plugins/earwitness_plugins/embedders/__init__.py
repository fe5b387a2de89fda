"""Embedders: texts to vectors, one file a strategy."""
