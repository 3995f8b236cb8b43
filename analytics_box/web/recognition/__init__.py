"""Recognition of a request's sender: browser, device, bot or not, geo, hosting, source, channel, path, language."""
