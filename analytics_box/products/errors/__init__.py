"""Groups of JavaScript errors: their figures, and the decisions of members about them."""
