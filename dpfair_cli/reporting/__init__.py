"""Rows and verdicts as tables, pictures and pages. Nothing is fitted or decided here."""
