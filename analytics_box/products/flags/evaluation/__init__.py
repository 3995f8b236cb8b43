"""Evaluation of flags for a user, with reasons (wire 6.3). Pure: definitions and a context in, outcomes out."""
