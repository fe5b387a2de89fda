"""Settings, strategies and plugins: read, checked and made."""
