"""Changes of status pages, their components and their groups."""
