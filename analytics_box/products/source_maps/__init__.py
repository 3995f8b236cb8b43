"""Source maps of a website's scripts, and stacks with the original places."""
