"""What no character may see."""
