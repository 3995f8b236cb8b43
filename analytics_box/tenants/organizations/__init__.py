"""Organizations and their members: who belongs where, with which role."""
