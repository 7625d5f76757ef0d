"""Readers of the file formats that several data sets share, and of users' tables."""
