"""Consolidators: a character's memories, or those of a chat assistant, as a summary."""
