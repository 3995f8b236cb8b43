"""Inputs of commands, separate from the code that carries them out: the command line loads only these beside a running
box.
"""
