"""A chain of masses, each joined to all others by springs of random strength."""
import numpy as np

import calls


class Chain:
    def __init__(self, n, seed):
        self.random = np.random.default_rng(seed)
        springs = self.random.random((n, n))
        # A product with its own transpose is symmetric and positive.
        self.stiffness = springs @ calls.here(springs.T) + n * np.eye(n)

    def forces(self, samples):
        return self.random.standard_normal((len(self.stiffness), samples))

    def solve(self, forces):
        return np.linalg.solve(self.stiffness, calls.here(forces))
