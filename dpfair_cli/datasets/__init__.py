"""One data set a file: FILES, DOMAIN, EXPECTED, read and load."""
