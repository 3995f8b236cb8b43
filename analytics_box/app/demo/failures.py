"""Reasons why there is no demo."""


class NotADemo(Exception):
    """The data directory belongs to a real box, which must not get invented visits."""
