"""What releases cost together."""
