"""From a spec to the rows of a journal: plan, run, remember."""
