"""A plugin and a detector that Earwitness knows nothing of."""
