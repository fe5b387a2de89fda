"""Everything swappable that Earwitness ships, loaded through the same entry points as anybody's plugin."""
