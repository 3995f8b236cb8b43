"""Pages for people: templates and files, the frame around them, forms, and the visit that a handler gets."""
