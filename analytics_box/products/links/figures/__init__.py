"""Who follows a link: the figures of its own page."""
