"""Made-up visits of a shop for fountain pens, understood as if they had come: for the demo and for example websites."""
