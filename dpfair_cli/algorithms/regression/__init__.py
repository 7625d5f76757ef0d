"""Linear classifiers, public, private and fair: minimisers of one objective."""
