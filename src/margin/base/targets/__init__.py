"""What is to be learnt: labels as codes, numbers, several of either, and how much each class counts."""

__all__: list[str] = []
