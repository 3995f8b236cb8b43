"""Funnels: the steps that visitors take one after another, and where they drop out."""
