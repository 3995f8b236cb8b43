"""Bots of a website: their events are quarantined for 30 days and count only if a member allows the bot."""
