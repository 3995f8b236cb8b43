"""The description of the API, generated from the code (OpenAPI 3.1)."""

from analytics_box.app.openapi.document import document

__all__ = ["document"]
