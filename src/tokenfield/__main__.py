"""`python -m tokenfield` is the command `tokenfield`."""

from tokenfield.cli import main

if __name__ == "__main__":
    main()
