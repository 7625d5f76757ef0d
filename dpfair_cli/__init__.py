"""dpfair: every table and figure of four works on private and fair learning, beside the published value."""
