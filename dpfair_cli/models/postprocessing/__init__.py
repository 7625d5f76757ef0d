"""Decision rules that depend on the group, mixtures and ensembles of rules, and a fairness game."""
