"""Triages: what is worth passing on."""
