"""How strategies, plugins and settings come in."""
