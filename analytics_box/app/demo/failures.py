"""The reason why there is no demo, apart from what a demo loads."""


class NotADemo(Exception):
    """The data directory belongs to a real box, which must not get invented visits."""
