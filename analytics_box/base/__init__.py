"""The foundations of everything else: the store, outgoing requests, notifications, limits, clock, errors, settings."""
