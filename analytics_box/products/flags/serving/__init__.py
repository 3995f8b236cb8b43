"""What SDKs get: flags evaluated for whoever asks, answered past Litestar from memory (wire 6.1)."""
