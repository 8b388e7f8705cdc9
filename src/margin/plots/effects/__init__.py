"""What columns do to answers: SHAP values and partial dependence."""
