"""Rules that depend on the group, mixtures and ensembles of rules, and the game that finds them."""
