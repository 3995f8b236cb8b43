"""Click ids: what networks add to the address of a page, so that a click can be told from others (wire 5.2).

They name the source and often whether the click was paid for. They identify people, so they stand in no path and no
query string that is kept.
"""

from typing import NamedTuple


class Click(NamedTuple):
    """Who adds this parameter, and the medium that it stands for; empty where paid and free clicks both have it."""

    source: str
    medium: str = ""


# In the order of precedence: a page may have several.
CLICK_IDS = {
    "gclid": Click("Google", "cpc"),
    "gbraid": Click("Google", "cpc"),
    "wbraid": Click("Google", "cpc"),
    "dclid": Click("Google", "display"),
    "msclkid": Click("Bing", "cpc"),
    "yclid": Click("Yandex", "cpc"),
    "ttclid": Click("TikTok", "paid"),
    "twclid": Click("Twitter", "paid"),
    "li_fat_id": Click("LinkedIn", "paid"),
    "rdt_cid": Click("Reddit", "paid"),
    "sccid": Click("Snapchat", "paid"),
    "tblci": Click("Taboola", "cpc"),
    "fbclid": Click("Facebook"),
    "igshid": Click("Instagram"),
    "igsh": Click("Instagram"),
    "epik": Click("Pinterest"),
    "ysclid": Click("Yandex"),
    "srsltid": Click("Google", "organic"),
    "mc_cid": Click("Mailchimp", "email"),
    "mc_eid": Click("Mailchimp", "email"),
    "_hsenc": Click("HubSpot", "email"),
    "mkt_tok": Click("Marketo", "email"),
    "vero_id": Click("Vero", "email"),
    "_kx": Click("Klaviyo", "email"),
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
