"""Telling people something outside of the pages: e-mail, and the alert channels of an organization."""
