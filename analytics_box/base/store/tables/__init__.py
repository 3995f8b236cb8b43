"""The tables of box.db and events.db as version 0.1.0 created them, by subject."""
