"""Making and changing status pages, their components and their groups."""
