"""Apps that can open a link on a phone instead of the browser (`deepLinkApp`, wire 7.2). Pure."""

from typing import Final
from urllib.parse import quote

from msgspec import Struct

from analytics_box.base.urls import url_parts


class PhoneApp(Struct, frozen=True):
    """An app: its name, the scheme of its own URLs, and its package on Android."""

    name: str
    scheme: str
    package: str


APPS: Final = {
    "amazon": PhoneApp("Amazon", "com.amazon.mobile.shopping.web", "com.amazon.mShop.android.shopping"),
    "facebook": PhoneApp("Facebook", "fb", "com.facebook.katana"),
    "instagram": PhoneApp("Instagram", "instagram", "com.instagram.android"),
    "linkedin": PhoneApp("LinkedIn", "linkedin", "com.linkedin.android"),
    "pinterest": PhoneApp("Pinterest", "pinterest", "com.pinterest"),
    "reddit": PhoneApp("Reddit", "reddit", "com.reddit.frontpage"),
    "snapchat": PhoneApp("Snapchat", "snapchat", "com.snapchat.android"),
    "spotify": PhoneApp("Spotify", "spotify", "com.spotify.music"),
    "telegram": PhoneApp("Telegram", "tg", "org.telegram.messenger"),
    "threads": PhoneApp("Threads", "barcelona", "com.instagram.barcelona"),
    "tiktok": PhoneApp("TikTok", "snssdk1233", "com.zhiliaoapp.musically"),
    "twitch": PhoneApp("Twitch", "twitch", "tv.twitch.android.app"),
    "twitter": PhoneApp("X", "twitter", "com.twitter.android"),
    "whatsapp": PhoneApp("WhatsApp", "whatsapp", "com.whatsapp"),
    "x": PhoneApp("X", "twitter", "com.twitter.android"),
    "youtube": PhoneApp("YouTube", "vnd.youtube", "com.google.android.youtube"),
}


def address_in(app: PhoneApp, url: str, system: str) -> str:
    """The URL that opens this web page in the app. On Android the browser falls back to the web by itself."""
    parts = url_parts(url)
    place = f"{parts.netloc}{parts.path}" + (f"?{parts.query}" if parts.query else "")
    if system == "Android":
        fallback = quote(url, safe="")
        return (
            f"intent://{place}#Intent;scheme={parts.scheme};package={app.package};S.browser_fallback_url={fallback};end"
        )
    return f"{app.scheme}://{place}"
