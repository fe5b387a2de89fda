"""What may be read where: the table of contexts, its guard, and discretion."""
