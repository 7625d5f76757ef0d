"""Linear rules, logistic regression, its quadratic approximation, and the fairness term."""
