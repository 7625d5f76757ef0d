"""What changed between two states of the results, and why."""
