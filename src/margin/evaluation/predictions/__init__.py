"""What models answered, beside what is true: labels, probabilities and scores, looked at once."""

__all__: list[str] = []
