"""Discretion: of what a character recalls, what is better used silently here, or kept out of the prompt."""
