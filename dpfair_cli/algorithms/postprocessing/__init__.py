"""Fair decisions from a base classifier or a game, private in the protected attribute."""
