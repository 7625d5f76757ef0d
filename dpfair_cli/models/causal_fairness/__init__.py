"""Causal effects of a protected variable among binary variables, and models that bound them."""
