"""Settings of the server that administrators change."""
