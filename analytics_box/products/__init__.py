"""What users see, a room for each product and each thing that they make."""
