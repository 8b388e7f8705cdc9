"""Trees read: text, rules, conditions and the path of one row."""

__all__: list[str] = []
