"""Every error that a user can cause, the warnings, and how to suggest the right name.

Messages say what was wrong and what to do. The command line prints a `TokenfieldError` as one line and exits with 2.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

LONGEST = 400  # letters of a message; what shows a whole array is cut in the middle


class TokenfieldError(Exception):
    """The base of all errors raised on purpose by tokenfield. Its message is one line.

    >>> InvalidInput.__bases__ == (TokenfieldError, ValueError)
    True
    """

    def __str__(self) -> str:
        line = " ".join(super().__str__().split())
        return line if len(line) <= LONGEST else f"{line[: LONGEST - 100]} ... {line[-90:]}"


class InvalidInput(TokenfieldError, ValueError):
    """A value handed to the library is wrong: a shape, a range, a NaN. It is also a `ValueError`."""


class Unsupported(TokenfieldError, ValueError):
    """Each part is fine but the combination makes no sense; the message says why. It is also a `ValueError`."""


class TooLarge(TokenfieldError, MemoryError):
    """A problem needs more memory or disk than there is; the message says how much, and what to change.

    It is also a `MemoryError`.
    """


class ConfigError(TokenfieldError, ValueError):
    """A configuration has an unknown key, a wrong type or a missing value. It is also a `ValueError`."""


class Unfinished(TokenfieldError, RuntimeError):
    """A run ended before its final time and was asked to say so. It is also a `RuntimeError`.

    Args:
        message: How the run ended, and what to do.
        run: What there is of the run, a `Trajectory`.

    >>> Unfinished("ran out of steps", run=None).run is None
    True
    """

    def __init__(self, message: str, run: object):
        super().__init__(message)
        self.run = run


class FileError(TokenfieldError, OSError):
    """A file or folder cannot be read or written. It is also an `OSError`."""


class MissingPackage(TokenfieldError, ImportError):
    """A part of tokenfield needs a package that is not installed; the message says which, and how to install it.

    >>> issubclass(MissingPackage, ImportError)
    True
    """


class SlowSums(UserWarning):
    """Sums over tokens take far longer than they need to; the message says why, how long, and what to do.

    >>> issubclass(SlowSums, UserWarning)
    True
    """


class ApproximationWarning(UserWarning):
    """A number is less exact than others of its kind, because the exact one takes too long; the message says how much.

    >>> issubclass(ApproximationWarning, UserWarning)
    True
    """


def did_you_mean(name: str, options: Iterable[str]) -> str:
    """A suffix for messages about an unknown name: the nearest option, or the list of all.

    Args:
        name: The name that is unknown.
        options: The names that are known.

    Returns:
        The suffix, from its semicolon on.

    >>> did_you_mean("betta", ["beta", "n"])
    "; did you mean 'beta'?"
    """
    options = sorted(options)
    close = difflib.get_close_matches(name, options, n=1, cutoff=0.5)
    if close:
        return f"; did you mean '{close[0]}'?"
    return f"; choose from: {', '.join(options)}"
