"""Incidents and maintenance of status pages: updates of members, and scheduled changes."""
