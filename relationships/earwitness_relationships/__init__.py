"""The graph, pantheons, propagation, privacy and canon: how characters are related, and what they tell each other."""
