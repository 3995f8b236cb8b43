"""Revenue: payments of a website, where they come from, and what they are attributed to."""
