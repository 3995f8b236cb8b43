"""Inputs of commands, separate from the code that carries them out: all that the command line loads of it."""
