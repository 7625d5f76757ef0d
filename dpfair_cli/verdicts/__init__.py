"""What our runs say of a paper: decides, never renders."""
