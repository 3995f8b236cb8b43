"""ClickHouse in the place of the column replica."""
