"""Notes on the charts of a website."""
