"""Guards: what a character may recall, and what is left out of a prompt."""
