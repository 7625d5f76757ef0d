"""The data sets: each module declares a data source as DATASET."""
