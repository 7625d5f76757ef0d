"""Linear classifiers: public, private and fair ones, fitted by one optimum or one noisy objective."""
