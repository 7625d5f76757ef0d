"""Independence tests, the two phases of PC, and models of random graphs and records."""
