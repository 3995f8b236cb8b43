"""What an organization has set, and what the box is connected to (scope manage:config)."""
