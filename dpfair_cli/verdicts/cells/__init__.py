"""Published cells: the values that a paper prints, compared with our runs, and the verdicts."""
