"""What a request tells of its sender: browser, device, bot or not, geo, hosting, source, channel, path, language."""
