"""ShareLink links: a website's figures for people who have no account."""
