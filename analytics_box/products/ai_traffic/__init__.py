"""Figures of the tool calls that MCP servers report."""
