"""Linear classifiers, with and without privacy and fairness, and a constant classifier."""
