"""Alert rules about the traffic of websites: what is counted, what is unusual, and who is told."""
