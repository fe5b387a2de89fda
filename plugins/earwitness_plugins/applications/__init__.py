"""What is built from strategies: imports and exports, replays, playable stories, evaluation. No strategy needs them."""
