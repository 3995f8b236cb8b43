"""Metrics that colour can show on a map or a week: visitors, or their conversions of a goal. Pure."""

from collections.abc import Sequence

from msgspec import Struct

from analytics_box.figures.scale import Scale, Unit, bound_text, scale
from analytics_box.query.catalog.types import Record

UNKNOWN = "–"


class Shader(Struct, frozen=True):
    """Something that colour can show: a field of rows, and what it is called. `href` is the page on which it does."""

    field: str
    label: str
    unit: Unit = "count"
    href: str = ""


class Shading(Struct, frozen=True):
    """The metric that colour shows, and all metrics listed for each row, in order, that can be chosen."""

    shown: Shader
    said: tuple[Shader, ...]

    @property
    def choices(self) -> tuple[Shader, ...]:
        """The metrics that colour can show, if there is a choice."""
        return self.said if len(self.said) > 1 else ()

    def value(self, row: Record) -> float:
        """The number of a row that colour shows."""
        return float(row[self.shown.field] or 0)

    def scale(self, rows: Sequence[Record]) -> Scale | None:
        """The shades for these rows; None if all are zero."""
        return scale([self.value(row) for row in rows], self.shown.unit)

    def words(self, row: Record) -> str:
        """All that is said of a row."""
        said = ((one.label.lower(), number(row[one.field], one.unit)) for one in self.said)
        return ", ".join(f"{name}: {value}" for name, value in said)


def number(value: float | None, unit: Unit) -> str:
    """A number in words; a dash where it is unknown."""
    return UNKNOWN if value is None else bound_text(value, unit)
