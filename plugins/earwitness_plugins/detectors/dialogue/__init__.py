"""Who is spoken to: lines as they follow each other, what speaks for each listener, and how much it weighs."""
