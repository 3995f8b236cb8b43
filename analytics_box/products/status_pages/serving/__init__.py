"""Public status pages: the page, its history, feeds and badges; answered past Litestar from memory."""
