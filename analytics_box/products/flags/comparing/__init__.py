"""Preview of a change: recently identified people who would get a different outcome."""
