"""An artefact from its spec to its files, and the preview of a table of your own."""
