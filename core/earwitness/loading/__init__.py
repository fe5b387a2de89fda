"""Reading and checking settings, and making strategies and plugins."""
