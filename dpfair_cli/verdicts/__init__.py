"""What the rows say of a paper: published cells, claims and known deviations. Nothing is rendered here."""
