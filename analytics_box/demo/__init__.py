"""A box full of made-up visits, links and bots, to look around in."""
