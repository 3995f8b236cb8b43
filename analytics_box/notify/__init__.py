"""Telling people something outside of the pages: e-mail."""
