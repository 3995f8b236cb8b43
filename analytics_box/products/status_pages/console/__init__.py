"""The dashboard of status pages: overview, incidents, maintenance, components, subscribers, settings."""
