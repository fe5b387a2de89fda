"""Rules and graph, compiled into who may tell whom: what a walk looks up instead of reading rules."""
