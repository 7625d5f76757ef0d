"""What changed between two states of the results, and why: `dpfair diff`, and `dpfair check
--against`.
"""
