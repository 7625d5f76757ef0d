"""From a table of records to numbers."""
