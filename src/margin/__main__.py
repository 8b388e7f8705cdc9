"""``python -m margin``: the command line."""

from margin.cli import main

if __name__ == "__main__":
    main()
