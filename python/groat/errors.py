"""Everything groat raises.

Each class also derives from the built-in exception that means the same, so that code which knows nothing
of groat catches what it expects. Files that cannot be read or written raise plain :class:`OSError`.
"""


class GroatError(Exception):
    """The base of all errors of this package."""


class ParameterError(GroatError, ValueError):
    """A parameter, or the text of one, is outside what is allowed."""


class DataError(GroatError, ValueError):
    """The data cannot be worked with: not numbers, too few rows, unusable labels."""


class ShapeError(DataError):
    """Two sizes that must agree do not, or an array has the wrong number of dimensions."""


class NotFiniteError(DataError):
    """The data hold NaN or an infinity."""


class ModelFileError(GroatError, ValueError):
    """A model file is damaged, hostile, or of an unknown version."""


class NumericalError(GroatError, ArithmeticError):
    """A factorisation or an iteration broke down."""


class MemoryLimitError(GroatError, MemoryError):
    """The work would need more memory than is allowed or there."""


class NotFittedError(GroatError, ValueError, AttributeError):
    """A result was asked of a learner that has not been fitted."""


class StoppedError(GroatError):
    """The progress callback asked to stop before there was a result."""
