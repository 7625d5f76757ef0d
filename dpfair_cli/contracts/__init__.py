"""Types, errors and declarations that the other folders of dpfair_cli share."""
