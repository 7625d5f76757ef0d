"""Deviations: explanations of cells that differ and claims that fail, and their evidence."""
