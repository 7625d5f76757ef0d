"""Stochastic gradient descent, public and private, on people and images."""
