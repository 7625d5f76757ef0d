"""Every table and figure of works on private and fair learning, with the published values."""

from dpfair_cli.provenance.arithmetic import settle

settle()  # must run before NumPy is imported
