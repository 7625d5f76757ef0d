"""The decisions of statistical rules about printed values."""
