"""The larger pictures of a page, as SVG text; colours come from the page's style sheet by class."""

__all__: list[str] = []
