"""Classifiers of adult.names, as methods of dpfair."""
