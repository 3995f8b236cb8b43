"""Clicks of a link: the figures of its page."""
