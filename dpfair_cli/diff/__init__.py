"""Differences between two states of the results, with causes."""
