"""The causal graph of observed variables, public and private."""
