"""Status pages: the public status of an organization's services, with incidents and maintenance (wire 9)."""
