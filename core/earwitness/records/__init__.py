"""The words of the design, as frozen values."""
