"""Gradient boosted decision trees."""
