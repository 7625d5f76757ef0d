"""Noise mechanisms, sensitivity proofs and privacy accounting.

Every mechanism takes the value of a query, its sensitivity (the largest change between neighbours,
in the norm that the argument names), the size of the noise (an epsilon or a standard deviation) and
the source of the noise `rng`, and returns the noisy value, of the same shape. With an infinite
epsilon, or with noise of size 0, the value is returned without noise. A ValueError is raised if
epsilon is not positive, or if a sensitivity or a standard deviation is negative or infinite.
"""
