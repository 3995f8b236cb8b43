"""Kinds of channels: each is one file with its form, its checks and its message; `table` lists them."""
