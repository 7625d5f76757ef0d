"""Vectors of the nodes of a graph, public and private."""
