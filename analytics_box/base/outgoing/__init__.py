"""Asking the world outside: addresses that people typed, fetched so that nobody reaches what is inside."""
