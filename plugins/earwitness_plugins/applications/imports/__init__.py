"""Files from elsewhere become part of a story, or a story file of their own."""
