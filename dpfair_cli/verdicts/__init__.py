"""Verdicts on published cells and claims of a paper, as objects; `reporting` prints them."""
