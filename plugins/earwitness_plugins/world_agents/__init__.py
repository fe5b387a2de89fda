"""World Agents: what the world has to tell each participant. One file a strategy."""
