"""The MCP server at /v1/mcp: tools, resources and prompts for assistants that call with an API key.

It speaks streamable HTTP without sessions: each POST is one JSON-RPC message with one answer, as the revision
2026-07-28 has it, and the revisions with a handshake before it. Tools read and change through the box's procedures and
queries, so that scopes, limits and the audit log are those of the API.
"""
