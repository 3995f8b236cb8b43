"""What a flag gives to somebody, and why (wire 6.3). Pure: definitions and a context in, outcomes out."""
