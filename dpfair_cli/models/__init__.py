"""Models and computations that the algorithms use, without any noise for privacy."""
