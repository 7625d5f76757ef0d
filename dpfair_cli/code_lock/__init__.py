"""Digests of the code behind each name, and the lock with those of the committed results."""
