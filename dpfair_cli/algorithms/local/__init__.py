"""Methods with local differential privacy: each individual randomises some attributes."""
