"""Analytics Box: web analytics in one process."""

__version__ = "0.1.0"
