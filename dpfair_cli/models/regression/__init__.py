"""Logistic regression, its polynomial approximation, the fairness term, and linear rules."""
