"""From a table of people to numbers."""
