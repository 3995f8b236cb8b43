"""Subscribers of a status page: they subscribe, confirm, receive each update once, and unsubscribe with one click."""
