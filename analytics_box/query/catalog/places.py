"""Countries by their English names."""


def code_of(country: str) -> str:
    """The ISO 3166 code of a country; empty for an unknown one."""
    return ""
