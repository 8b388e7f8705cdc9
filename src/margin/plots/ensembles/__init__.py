"""Pictures of forests and bags."""
