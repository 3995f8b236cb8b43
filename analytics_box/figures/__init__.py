"""Pages of figures: tiles over a chart, lists, ranges and filters in the address, late parts.

A room with such a page writes a `Board`, and hands it to `page.whole`.
"""
