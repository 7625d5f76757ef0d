"""What the rows say of a paper: its published cells, claims and known deviations. Nothing is
rendered here.
"""
