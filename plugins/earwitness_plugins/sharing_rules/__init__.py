"""Sharing rules."""
