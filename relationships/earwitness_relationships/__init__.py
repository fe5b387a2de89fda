"""The graph, pantheons, propagation, privacy and canon: who stands how to whom, and what that lets through."""
