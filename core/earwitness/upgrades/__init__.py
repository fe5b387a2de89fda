"""Upgrades of stored and exported records to the current version. Pure: JSON objects in, JSON objects out."""
