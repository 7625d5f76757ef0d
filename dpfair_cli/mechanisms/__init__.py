"""All the noise and all the accounting, nothing else."""
