"""All artefacts together: counts of verdicts, and how often the rule passes a wrong value."""
