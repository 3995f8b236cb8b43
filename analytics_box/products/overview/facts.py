"""The content of a small panel: figures, and a short list below them."""

from msgspec import Struct

from analytics_box.figures.panels import BarRow


class PanelFact(Struct, frozen=True):
    """A figure with its name."""

    label: str
    value: str


class Facts(Struct, frozen=True):
    """Figures above a short list, such as errors of the range and the commonest messages. Without facts there is
    nothing to show; `heading` names the list where that is not plain."""

    facts: tuple[PanelFact, ...]
    bars: tuple[BarRow, ...]
    heading: str = ""
