"""One published algorithm a file, one public function: fit."""
