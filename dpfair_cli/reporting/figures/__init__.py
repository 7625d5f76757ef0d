"""How pictures are drawn: style, panels, marks, and the files that they are written to."""
