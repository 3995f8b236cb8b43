"""Where visitors come from (wire 1.4)."""

from typing import Any

from analytics_box.web.recognition import source as sources
from tests.query.brute.facts import Row
from tests.query.brute.tables import answers, standard


def _source(key: tuple[Any, ...]) -> Row:
    domain = sources.domain_of(key[0])
    url = f"https://{domain}" if domain else ""
    kind = sources.kind_of(key[0])
    return {
        "source": key[0],
        "domain": domain,
        "referrer": url,
        "referrer_type": kind,
        "parsed_referrer": {"name": key[0], "domain": domain, "url": url, "type": kind},
    }


ANSWERS = answers(
    {
        "traffic_sources": standard("source", more=_source),
        "top_referrers": standard(
            "source", present=True, more=_source, where=lambda row: bool(row["source"] != "Direct")
        ),
        "channels": standard("channel"),
        "utm_sources": standard("utm_source", present=True),
        "utm_mediums": standard("utm_medium", present=True),
        "utm_campaigns": standard("utm_campaign", present=True),
        "utm_terms": standard("utm_term", present=True),
        "utm_content": standard("utm_content", present=True),
    }
)
