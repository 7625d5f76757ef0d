"""Fair decisions derived from a base classifier or from a game, private in the protected attribute."""
