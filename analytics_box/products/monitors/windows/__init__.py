"""Maintenance: when checks go on but nobody is told, once or again and again, by the clock of a time zone."""
