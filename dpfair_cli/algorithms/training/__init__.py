"""Stochastic gradient descent, public and private, on records and images."""
