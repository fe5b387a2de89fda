"""Comings and goings as prose tells them, clause by clause: who, which way, and whither."""
