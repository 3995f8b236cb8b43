"""The first run: from the one-time link, or the command line, to a user, an organization, a website and a key."""
