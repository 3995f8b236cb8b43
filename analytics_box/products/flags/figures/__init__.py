"""What came of flags: in which shares they were given, and the result of an experiment as a page."""
