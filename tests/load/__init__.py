"""Benchmarks: `python -m tests.load NAME`. They are no part of the test command, and no test asserts a time."""
