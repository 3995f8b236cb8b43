"""Rules of every resource: no field is lost in any place, and access is the same by page, form and procedure."""
