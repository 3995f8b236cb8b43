"""The query types as data, a module for each family; `registry` has all of them."""
