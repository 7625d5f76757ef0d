"""The arithmetic that computes the results, and checksums of the committed files."""
