"""GET /forms/kept, where a user who signs in again finds the form that they sent."""

from analytics_box.web.page.kept_forms import KeptForms
from analytics_box.web.page.visit import Next, Visitor


async def nothing_kept(visit: Visitor) -> Next:
    """GET /forms/kept where there is no form of this person: to the page on which it stood, and it is forgotten."""
    return visit.go(visit.parts[KeptForms].forget(visit.request.headers) or "/sites")
