"""Input and output of annotation procedures (wire 10.5)."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from analytics_box.products.notes.annotation import LONGEST_TEXT, Annotation, ChartContext, Kind
from analytics_box.resource.fields import answer_of
from analytics_box.tenants.tenancy.messages import Text

ChartType = Literal["metrics"]
Said = Annotated[str, Meta(max_length=4 * LONGEST_TEXT)]
Tags = Annotated[tuple[Text, ...], Meta(max_length=100)]
Color = Annotated[str, Meta(max_length=32)]


class ListAnnotations(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of annotations.list. `chartType` and `chartContext` narrow nothing: a note is on every chart.

    With `startDate` and `endDate`, days in UTC, it answers with the notes that touch these days.
    """

    websiteId: Text
    chartType: ChartType = "metrics"
    chartContext: ChartContext | None = None
    startDate: Text | None = None
    endDate: Text | None = None
    limit: Annotated[int, Meta(ge=1, le=1_000)] = 1_000


class OneAnnotation(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that names an annotation."""

    id: Text


class NewAnnotation(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of annotations.create. `text` is enough: without `xValue` it is a note of now.

    `xValue` and `xEndValue` are days (2026-11-20, which means that day in every time zone) or times with an offset.
    """

    websiteId: Text
    text: Said
    annotationType: Kind | None = None
    xValue: Text | None = None
    xEndValue: Text | None = None
    yValue: float | None = None
    tags: Tags = ()
    color: Color | None = None
    isPublic: bool = False
    chartType: ChartType = "metrics"
    chartContext: ChartContext | None = None


class ChangedAnnotation(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of annotations.update; omitted fields keep their values. An `xEndValue` of null makes a range a point."""

    id: Text
    text: Said | UnsetType = UNSET
    tags: Tags | UnsetType = UNSET
    color: Color | UnsetType = UNSET
    isPublic: bool | UnsetType = UNSET
    annotationType: Kind | UnsetType = UNSET
    xValue: Text | UnsetType = UNSET
    xEndValue: Text | UnsetType | None = UNSET
    yValue: float | UnsetType | None = UNSET


class AnnotationShown(Struct, frozen=True):
    """A note. `wholeDays` says that its times are calendar days, whatever the time zone, and then midnights in UTC.

    `createdBy` is for callers who can read all notes of the website.
    """

    id: str
    websiteId: str
    chartType: ChartType
    chartContext: ChartContext | None
    annotationType: Kind
    xValue: datetime
    xEndValue: datetime | None
    yValue: float | None
    wholeDays: bool
    text: str
    tags: tuple[str, ...]
    color: str
    isPublic: bool
    createdBy: str | None
    createdAt: datetime
    updatedAt: datetime
    deletedAt: None = None


def note_answer(note: Annotation, *, own: bool = True) -> AnnotationShown:
    """A note as procedures answer with it."""
    return answer_of(
        AnnotationShown, note, note.content, chartType="metrics", createdBy=note.created_by if own else None
    )
