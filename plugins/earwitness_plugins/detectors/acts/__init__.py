"""Acts: who takes leave, comes back, sends others off, by several independent signs that are weighed together."""
