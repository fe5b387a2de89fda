"""MIDDLE: memories into prompts."""
