"""Published cells: what a paper prints, our runs against it, and the verdict."""
