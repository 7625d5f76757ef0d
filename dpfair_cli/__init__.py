"""dpfair: every table and figure of four works on private and fair learning, beside the published
value.
"""

from dpfair_cli.provenance.arithmetic import settle

settle()  # before anything imports NumPy
