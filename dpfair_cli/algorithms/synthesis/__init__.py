"""Private synthesis: a noisy model of the records, from which new ones are drawn."""
