"""Claims: sentences of a paper as predicates about our runs, and the verdict on each claim."""
