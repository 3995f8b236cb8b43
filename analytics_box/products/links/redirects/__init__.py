"""A short URL is requested: from the links in memory to the redirect and the click."""
