"""Servers to test against, for Earwitness's own tests and for those of other packages."""
