"""Settings of the server that administrators change in the settings area."""
