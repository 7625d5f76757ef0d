"""What a result depends on: digests of the code behind each name, and the lock of those that were
committed.
"""
