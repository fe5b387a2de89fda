"""Retellers: the words in which somebody passes on what they know."""
