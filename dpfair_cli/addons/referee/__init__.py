"""Judges two published numbers about the same quantity: whether they differ, and by what."""
