"""Tests of what SDKs get that ask for flags."""
