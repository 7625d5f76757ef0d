"""The proofs of all sensitivities: the largest change of each query between two neighbours."""
