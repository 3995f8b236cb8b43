"""The pages in which people keep status pages: what is now, incidents, maintenances, components, subscribers."""
