"""Whether a method keeps its privacy claim: every release recorded and replayed on neighbouring
data.
"""
