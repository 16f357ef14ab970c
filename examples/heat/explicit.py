"""Explicit time stepping: forward Euler and the five-point stencil, by slicing.

Cheap steps and many of them: a step must be short to be stable.
"""

import numpy as np

from problem import KAPPA


class ExplicitStepper:
    name = "explicit"

    def __init__(self, plate, step):
        self.step_length = step
        self.factor = KAPPA * step / plate.spacing ** 2
        self.change = np.empty((plate.n, plate.n))

    def laplacian(self, field):
        """The five-point stencil at the inner points, without temporary arrays."""
        change = self.change
        np.multiply(field[1:-1, 1:-1], -4.0, out=change)
        np.add(change, field[:-2, 1:-1], out=change)
        np.add(change, field[2:, 1:-1], out=change)
        np.add(change, field[1:-1, :-2], out=change)
        np.add(change, field[1:-1, 2:], out=change)
        return change

    def advance(self, field):
        """Takes `field` one step further, in place."""
        change = self.laplacian(field)
        np.multiply(change, self.factor, out=change)
        inner = field[1:-1, 1:-1]
        np.add(inner, change, out=inner)
