"""What everything else stands on: the store, outgoing requests, notifications, limits, clock, errors, settings."""
