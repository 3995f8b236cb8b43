"""What was not counted: how often, by site, UTC day and reason."""
