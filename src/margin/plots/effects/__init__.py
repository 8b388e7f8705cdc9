"""What columns do to answers: SHAP values and partial dependence."""

__all__: list[str] = []
