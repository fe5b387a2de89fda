"""Memories as points of Qdrant, for the stores `qdrant` and `mem0`.

`connection` calls a client, local or of a server; `conditions` translates filters; `points` says what a point holds;
`indexes` keeps containers in memory and up to date; `store` is the `Store` that both are made of.
"""
