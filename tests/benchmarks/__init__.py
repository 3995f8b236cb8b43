"""Benchmarks: `python -m tests.benchmarks NAME`. They are no part of the test command, and no test asserts a time."""
