"""Valid words of commands."""

from typing import Annotated

from msgspec import Meta

Text = Annotated[str, Meta(min_length=1, max_length=255)]
