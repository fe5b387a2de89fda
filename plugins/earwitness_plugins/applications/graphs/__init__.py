"""What is done with whole graphs."""
