"""Click ids: what networks add to the address of a page, so that a click can be told from others (wire 5.2).

They name the source and often whether the click was paid for. They identify people, so they stand in no path and no
query string that is kept.
"""

from typing import NamedTuple


class ClickId(NamedTuple):
    """The network that adds a parameter, and the medium that it implies; empty if paid and free clicks both have it."""

    source: str
    medium: str = ""


# In the order of precedence: a page may have several.
CLICK_IDS = {
    "gclid": ClickId("Google", "cpc"),
    "gbraid": ClickId("Google", "cpc"),
    "wbraid": ClickId("Google", "cpc"),
    "dclid": ClickId("Google", "display"),
    "msclkid": ClickId("Bing", "cpc"),
    "yclid": ClickId("Yandex", "cpc"),
    "ttclid": ClickId("TikTok", "paid"),
    "twclid": ClickId("Twitter", "paid"),
    "li_fat_id": ClickId("LinkedIn", "paid"),
    "rdt_cid": ClickId("Reddit", "paid"),
    "sccid": ClickId("Snapchat", "paid"),
    "tblci": ClickId("Taboola", "cpc"),
    "fbclid": ClickId("Facebook"),
    "igshid": ClickId("Instagram"),
    "igsh": ClickId("Instagram"),
    "epik": ClickId("Pinterest"),
    "ysclid": ClickId("Yandex"),
    "srsltid": ClickId("Google", "organic"),
    "mc_cid": ClickId("Mailchimp", "email"),
    "mc_eid": ClickId("Mailchimp", "email"),
    "_hsenc": ClickId("HubSpot", "email"),
    "mkt_tok": ClickId("Marketo", "email"),
    "vero_id": ClickId("Vero", "email"),
    "_kx": ClickId("Klaviyo", "email"),
}
# Other parameters of such kinds, which tell nothing of the source.
_COMPANIONS = {
    *("gclsrc", "gad_source", "gad_campaignid", "s_kwcid", "ef_id", "wickedid", "irclickid", "oly_enc_id", "gs_l"),
    *("oly_anon_id", "rb_clickid", "vero_conv", "_hsmi", "__hssc", "__hstc", "__hsfp", "hsctatracking", "_gl", "_ga"),
    *("_openstat", "fb_action_ids", "fb_action_types", "fb_source", "ga_source", "ga_medium", "ga_campaign", "dm_i"),
    *("msockid", "ml_subscriber", "ml_subscriber_hash", "bsft_clkid", "guccounter"),
}


def is_tracking(parameter: str) -> bool:
    """Whether a parameter of an address only serves to follow a click; in lower case."""
    return parameter in CLICK_IDS or parameter.startswith("utm_") or parameter in _COMPANIONS
