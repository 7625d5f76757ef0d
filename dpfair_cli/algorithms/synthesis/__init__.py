"""Generators of synthetic records, with and without privacy and fairness."""
