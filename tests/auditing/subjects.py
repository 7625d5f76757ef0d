"""The number of features of the records that are audited."""

D = 8
