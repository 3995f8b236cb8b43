"""The page on which a link is written, with its preview."""
