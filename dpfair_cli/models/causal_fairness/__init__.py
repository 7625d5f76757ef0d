"""Causal effects of a protected variable among two-valued ones, exactly, and data without them."""
