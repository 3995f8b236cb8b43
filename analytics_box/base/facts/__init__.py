"""The contents of events.db: its tables as one declaration, the rows that events become, and their removal."""
