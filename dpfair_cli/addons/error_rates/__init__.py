"""How often the rule of the verdicts is wrong, measured on simulated papers."""
