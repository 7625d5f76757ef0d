"""Gradients, batches and steps of descent, and the models that it trains."""
