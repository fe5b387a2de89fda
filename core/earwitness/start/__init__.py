"""START: what a character remembers now."""
