"""The proofs of all sensitivities: how far one record changes each query."""
