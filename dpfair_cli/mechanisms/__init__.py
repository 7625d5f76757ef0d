"""Noise mechanisms, sensitivity proofs and privacy accounting.

Every mechanism takes the value of a query, the sensitivity of the query, the size of the noise (an
epsilon or a standard deviation) and a generator `rng`, and returns the noisy value. With an
infinite epsilon, or with noise of size 0, the value is returned without noise.
"""
