"""Examines the printed numbers of a paper, without a run: which cannot be, and which are unlikely.

`docs/forensics.md` describes each check.
"""
