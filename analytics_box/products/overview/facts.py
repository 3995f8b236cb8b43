"""What a small panel shows: figures, and a short list below them."""

from msgspec import Struct

from analytics_box.figures.panels import Bar


class Fact(Struct, frozen=True):
    """A figure with its name."""

    label: str
    value: str


class Facts(Struct, frozen=True):
    """Figures above a short list, such as errors of the range and the commonest messages. Without facts there is
    nothing to show; `heading` names the list where that is not plain."""

    facts: tuple[Fact, ...]
    bars: tuple[Bar, ...]
    heading: str = ""
