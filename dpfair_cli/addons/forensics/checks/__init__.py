"""The checks, one in each file; a check yields proofs or tests of the cells of a paper."""
