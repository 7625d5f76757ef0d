"""One fit that leaves: train with secret noise, state its guarantee, save, restore, predict."""
