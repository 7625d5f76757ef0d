"""Published cells: the published values, compared with our runs, and the verdicts."""
