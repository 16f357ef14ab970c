"""Implicit time stepping: alternating directions (Peaceman and Rachford).

Each half step is implicit along one direction, so all lines of the grid share one
matrix, and numpy.linalg.solve takes them together.  Stable for any step; few and
expensive steps.
"""

import numpy as np

from problem import KAPPA


def second_difference(n):
    """The matrix of the second difference along one line of the grid."""
    return (
        np.diag(np.full(n, -2.0))
        + np.diag(np.ones(n - 1), k=1)
        + np.diag(np.ones(n - 1), k=-1)
    )


class ImplicitStepper:
    name = "implicit"

    def __init__(self, plate, step):
        self.step_length = step
        half = 0.5 * KAPPA * step / plate.spacing ** 2
        difference = half * second_difference(plate.n)
        identity = np.eye(plate.n)
        self.half = half
        self.matrix = identity - difference

    def explicit_half(self, inner, axis):
        """The explicit side of a half step: the difference along `axis`."""
        lines = np.moveaxis(inner, axis, 0)
        result = (1.0 - 2.0 * self.half) * lines
        result[1:] += self.half * lines[:-1]
        result[:-1] += self.half * lines[1:]
        return np.moveaxis(result, 0, axis)

    def implicit_half(self, right_side, axis):
        """The implicit side of a half step: one solve for all lines along `axis`."""
        lines = np.moveaxis(right_side, axis, 0)
        return np.moveaxis(np.linalg.solve(self.matrix, lines), 0, axis)

    def advance(self, field):
        """Takes `field` one step further, in place."""
        inner = field[1:-1, 1:-1]
        halfway = self.implicit_half(self.explicit_half(inner, axis=1), axis=0)
        inner[...] = self.implicit_half(self.explicit_half(halfway, axis=0), axis=1)
