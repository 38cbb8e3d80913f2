"""Tools, the decorator that makes them, the catalog that holds them, and the ones that come with the package."""
