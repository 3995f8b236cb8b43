"""The links of an organization as a list: filtered, searched, sorted and paged."""
