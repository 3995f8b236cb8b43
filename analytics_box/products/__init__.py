"""The products that users see: a room for each product and each resource."""
