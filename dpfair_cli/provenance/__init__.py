"""Where numbers come from: the arithmetic that computes them, checksums of their rows."""
