"""A monitor's own page: how it is, how it was, and how quickly it answers."""
