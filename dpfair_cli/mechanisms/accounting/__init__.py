"""Privacy accounting: what several releases cost together."""
