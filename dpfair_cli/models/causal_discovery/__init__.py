"""Independence tests, graphs, and the laws that records are drawn from."""
