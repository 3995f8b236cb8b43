"""The one way in which a resource is declared, stored, authorized, audited and edited."""
