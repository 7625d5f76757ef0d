"""Reads specs, makes the runs that a journal lacks, and appends the rows to the journal."""
