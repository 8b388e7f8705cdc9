"""Models around models: fitted on folds, wrapped, asked on behalf of another, calibrated, how sure they are."""

__all__: list[str] = []
