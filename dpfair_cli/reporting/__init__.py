"""Writes rows and verdicts as tables, pictures and pages; nothing is fitted or decided here."""
