"""Statistical rules that compare printed values without a run."""
