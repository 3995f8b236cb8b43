"""What every page of figures is made of: tiles over a chart, lists, ranges and filters in the address, late parts.

A room that has such a page writes a `Board`, and hands it to `page.whole`.
"""
