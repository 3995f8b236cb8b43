"""The readers of other products' exports, in the order in which a file is offered to them."""

from typing import Final

from analytics_box.products.imports.readers import (
    analytics_box,
    fathom,
    ga4,
    goatcounter,
    matomo,
    plausible,
    simple_analytics,
    umami,
    weblogs,
)
from analytics_box.products.imports.records import ExportReader

READERS: Final[tuple[ExportReader, ...]] = (
    analytics_box.READER,
    plausible.READER,
    umami.READER,
    matomo.VISITS,
    matomo.REPORTS,
    ga4.READER,
    goatcounter.READER,
    goatcounter.STATISTICS,
    simple_analytics.READER,
    fathom.READER,
    ga4.REPORTS,
    weblogs.READER,
)
BY_NAME: Final = {reader.name: reader for reader in READERS}
