"""What the benchmark programs share; no part of the distribution."""
