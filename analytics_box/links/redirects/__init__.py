"""A short URL is asked for: from the links in memory to the redirect and the click."""
