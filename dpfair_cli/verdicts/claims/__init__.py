"""Claims: sentences of a paper as predicates over our runs, and the verdict on each."""
