"""Pictures of status pages: logos and favicons, uploaded or fetched once, and served automatic."""
