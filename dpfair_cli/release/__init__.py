"""Models for release: training with secret noise, the guarantee, model files and predictions."""
