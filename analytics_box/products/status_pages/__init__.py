"""Status pages: what everybody may see of an organization's services, with incidents and maintenance (wire 9)."""
