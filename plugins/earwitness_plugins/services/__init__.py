"""What clients of services have in common: a circuit breaker, lasting files, and how the `openai` library is opened."""
