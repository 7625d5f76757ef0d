"""Random walks on graphs, their factorisation, and the laws that graphs are drawn from."""
