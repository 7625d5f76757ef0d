"""Random walks on graphs, their factorisation to embeddings, and models of random graphs."""
