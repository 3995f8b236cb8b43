"""The readers of other products' exports, in the order in which a file is offered to them."""

from typing import Final

from analytics_box.products.imports.readers import fathom, matomo, plausible, simple_analytics, umami
from analytics_box.products.imports.records import ExportReader

READERS: Final[tuple[ExportReader, ...]] = (
    plausible.READER,
    umami.READER,
    matomo.VISITS,
    matomo.REPORTS,
    simple_analytics.READER,
    fathom.READER,
)
BY_NAME: Final = {reader.name: reader for reader in READERS}
