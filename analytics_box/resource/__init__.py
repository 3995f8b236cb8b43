"""The one way in which a resource is declared, stored, edited, answered, exported and audited.

How to declare a resource:

1. Write its row as a frozen Struct. A field that callers give has a type with a `Field`, such as
   `Title = Annotated[str, Meta(max_length=200), Field(clean=words)]`; the others are the box's own (fields.py).
2. Write `ROWS = AuditedTable("things", Thing, "thing", "thing", about=…)`; hand-written SQL follows it (table.py). Its
   `create`, `change` and `remove` write a row with its entry in the audit log (audited.py).
3. Decorate the inputs of its procedures with `@input_of(Thing, needed=("name",))`; they list only what is special.
4. Read a message with `values_of(message, Thing, context)`: cleaned values by the fields of the row, for `replace`.
5. Answer with `answer_of(ThingShown, row, …)`, export with `record_of(row)`, log with `difference(before, after)`.
6. Fill the form with `forms.fill(row, zone)`, read it with `forms.read_posted(form, Thing, zone, row)` (forms.py). Its
   pages are one `FormPages` (web/page/resource_form.py), for a website's resource made by a `WebsiteForm`.
7. An import of files begins with `begin_import`, reads with `read_rows`, and counts its rows (imports.py).

What is special stays a plain function next to the declaration. `products/links/link.py` is the largest example,
`products/notes/annotation.py` a small one whose content is JSON. A plain new field is a line in the Struct, an input in
the form's template, and a step in `base/store/schema.py`.
"""
