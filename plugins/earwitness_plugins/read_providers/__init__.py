"""What a recall reads besides the character's own container."""
