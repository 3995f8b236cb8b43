"""Flag evaluation for SDKs, answered from memory, bypassing Litestar (wire 6.1)."""
