"""The problem: heat in a square plate whose edges are kept at zero.

    du/dt = kappa * (d2u/dx2 + d2u/dy2)   on (0, 1) x (0, 1),   u = 0 on the edges

The plate starts as a sum of two sine modes, for which the solution is known at
every later time.  That is what the numerical results are compared with.
"""

import math

import numpy as np

KAPPA = 1.0

# (amplitude, half waves in x, half waves in y)
MODES = ((1.0, 1, 1), (0.5, 2, 3))


class Plate:
    """A square grid with `n` inner points in each direction."""

    def __init__(self, n):
        if n < 3:
            raise ValueError("the grid needs at least 3 inner points")
        self.n = n
        self.spacing = 1.0 / (n + 1)
        self.points = np.linspace(0.0, 1.0, n + 2)

    def stable_step(self):
        """The longest time step that the explicit scheme can take, with some margin."""
        return 0.225 * self.spacing ** 2 / KAPPA

    def exact(self, time):
        """The analytic solution at `time`, edges included."""
        field = np.zeros((self.n + 2, self.n + 2))
        for amplitude, kx, ky in MODES:
            decay = math.exp(-KAPPA * math.pi ** 2 * (kx ** 2 + ky ** 2) * time)
            shape_x = np.sin(kx * math.pi * self.points)
            shape_y = np.sin(ky * math.pi * self.points)
            field += amplitude * decay * np.outer(shape_x, shape_y)
        return field

    def error(self, field, time):
        """The largest difference from the analytic solution, as a share of the first maximum."""
        difference = np.max(np.abs(field - self.exact(time)))
        return float(difference / np.max(np.abs(self.exact(0.0))))
