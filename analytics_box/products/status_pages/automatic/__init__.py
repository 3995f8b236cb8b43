"""Incidents that monitors open and resolve on their own, by the policy of each page."""
