"""How files of a form that several data sets share become data."""
