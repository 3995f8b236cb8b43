"""Accounts, organizations, members, websites, keys, channels, domains and the audit log."""
