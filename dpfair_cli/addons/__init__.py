"""Parts of dpfair that the others do without; each registers itself by entry points."""
