"""Where numbers come from: the arithmetic that computes them, and checksums of the rows that hold them."""
