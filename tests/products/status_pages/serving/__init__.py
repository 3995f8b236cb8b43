"""Tests of what visitors get."""
