"""Split, fit, score: one kind of study a file."""
