"""Noise mechanisms, sensitivity proofs and privacy accounting.

Every mechanism takes the query's value, its sensitivity, the budget and a generator `rng`, and
returns the noisy value. An infinite epsilon, or a sensitivity of 0, adds exactly no noise.
"""
