"""How good is a detector? Labelled scenes are played to it message by message, and its answers are scored."""
