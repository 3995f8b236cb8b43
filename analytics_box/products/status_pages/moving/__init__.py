"""Status pages of other products: what is in their files, and what becomes of it."""
