"""Data sets: one module each, which declares itself as DATASET."""
