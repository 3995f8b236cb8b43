"""The palette: what it finds, for whom, and in which order."""
