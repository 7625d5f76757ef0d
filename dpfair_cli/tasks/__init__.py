"""Study protocols: each task splits the data, fits a method and scores the result."""
