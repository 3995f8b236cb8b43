"""Reports: the figures of a website by email and to channels, on a schedule."""
