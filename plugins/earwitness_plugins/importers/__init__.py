"""Importers: one transcript format each, turned into scenes that `earwitness replay` plays."""
