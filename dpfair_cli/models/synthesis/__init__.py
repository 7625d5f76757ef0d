"""Plain maths of synthesis: models of records from which new records are drawn."""
