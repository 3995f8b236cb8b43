"""Clicks on short links: on their way to disk, stored, counted, and removed when they are old or their link is gone."""
