"""Models of records from which synthetic records are drawn, without any noise for privacy."""
