"""Audits of functions of other projects: by their noise, or else by their outcomes."""
