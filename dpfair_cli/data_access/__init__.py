"""Finding, fetching and loading the files of data sets."""
