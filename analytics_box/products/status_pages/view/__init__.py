"""The current visible state of a status page."""
