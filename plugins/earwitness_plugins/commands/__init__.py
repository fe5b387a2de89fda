"""The commands of `earwitness`, one module each; each is found by its entry point."""
