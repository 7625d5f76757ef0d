"""Digests of the code of algorithms, tasks and data sets, and the lock of committed results."""
