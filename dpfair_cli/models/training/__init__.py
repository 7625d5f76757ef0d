"""Stochastic gradient descent with clipped gradients, and the models that it trains."""
