"""Metrics: numbers computed from arrays."""
