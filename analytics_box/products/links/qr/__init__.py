"""Short URLs as QR codes."""
