"""What a query type is made of."""

from typing import Literal

from msgspec import Struct

Visualization = Literal["table", "timeseries", "bar", "pie", "metric", "area", "line"]
FieldType = Literal["string", "number", "boolean", "date", "datetime", "json"]


class Output(Struct, frozen=True, omit_defaults=True):
    """A field of the answer's rows."""

    name: str
    type: FieldType
    description: str = ""
    unit: str = ""


class QueryType(Struct, frozen=True):
    """A query type. Times in `events` and `sessions` measures are UTC ms; `outputs` say what the rows hold.

    `events` are measures over the events of the range, `sessions` over the sessions that start in it. A `series` has
    a row per bucket, a type with a `dimension` a row per value, any other type one row. `organization` types also count
    an organization's events that belong to no website.
    """

    name: str
    family: str
    title: str
    description: str
    outputs: tuple[Output, ...]
    events: tuple[str, ...]
    sessions: tuple[str, ...] = ()
    series: bool = False
    dimension: str = ""
    kinds: tuple[int, ...] = ()
    share_of: str = ""
    order: str = ""
    filters: tuple[str, ...] = ()
    customizable: bool = False
    public: bool = False
    organization: bool = False
    default_limit: int = 100
    visualization: Visualization = "table"

    @property
    def granularities(self) -> tuple[str, ...]:
        """The bucket widths that this type knows."""
        return ("hour", "day") if self.series else ()
