"""What events.db holds: its tables as one declaration, the rows that events become, and how those are removed."""
