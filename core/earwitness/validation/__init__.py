"""Checks of arguments, made before a call does anything."""
