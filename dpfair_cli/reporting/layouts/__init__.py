"""One kind of table or picture a file: its keys in a spec, its check and its writer."""
