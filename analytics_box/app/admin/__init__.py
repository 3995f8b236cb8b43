"""Administration from the command line, at once also on a box that is running."""
