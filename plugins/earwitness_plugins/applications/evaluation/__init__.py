"""How good is a detector? Labelled data, played to it message by message, and what the answers are worth."""
