"""The metric that colour shows on a page of figures, and its alternatives. Pure."""

from analytics_box.figures.converting import CONVERSIONS, RATE
from analytics_box.figures.shading import Shader, Shading
from analytics_box.figures.view import View

VISITORS = "visitors"


def shading_of(view: View, counted: str = VISITORS) -> Shading:
    """Colour shows what is counted, unless the address says another figure of the goal that is chosen."""
    names = view.of.about(view.plain).names
    said = [Shader(counted, names.get(counted, ""), href=view.link(shade=""))]  # no name: the page counts no visitors
    if view.aim is not None:
        said.append(Shader(CONVERSIONS, names[CONVERSIONS], href=view.link(shade=CONVERSIONS)))
        said.append(Shader(RATE, names[RATE], "percent", view.link(shade=RATE)))
    return Shading(next((one for one in said if one.field == view.shade), said[0]), tuple(said))
