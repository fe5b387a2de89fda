"""Graph stores: where the relationship graph is kept."""
