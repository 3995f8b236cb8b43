"""What visitors of a status page get: the page, its history, feeds and badges; answered past Litestar from memory."""
