"""Rules that decide by the group, mixtures and ensembles, and the game that finds them."""
