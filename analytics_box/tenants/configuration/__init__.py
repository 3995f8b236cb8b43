"""Settings of an organization, and the services that the box is connected to (scope manage:config)."""
