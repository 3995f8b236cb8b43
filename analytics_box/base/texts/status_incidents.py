"""Updates that the box itself writes on status pages: for monitors that are down, and for scheduled maintenance."""


class StatusIncidents:
    """Updates that nobody wrote. Names in {braces} are filled in with str.format; `names` is a list in words."""

    down_title = "{names}: not available"
    degraded_title = "{names}: limited availability"
    more = "{first} and {count} more"
    two = "{first} and {last}"
    down = "Our monitoring cannot reach {names}. We are looking into it."
    degraded = "Our monitoring gets errors from {names}. We are looking into it."
    joined = "This affects {names}, too."
    some_recovered = "Available again: {names}."
    recovered = "Everything that was affected is available again."
    left = "What this was about is no longer watched."

    began = "The maintenance has begun."
    over = "The maintenance is completed."
    cancelled = "The maintenance is cancelled."
