"""Character cards and lorebooks: what their JSON says, in the words of a story."""
