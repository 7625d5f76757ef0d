"""Values of the program that the authors of a paper published, run once by us."""
