"""Generators of synthetic records and their training, without noise for privacy."""
