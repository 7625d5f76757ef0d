"""One data set a file, which declares itself as DATASET."""
