"""The modes of a chain of masses: three pieces of linear algebra, each of which NumPy does in OpenMP.

Run it with a NumPy whose BLAS runs on OpenMP (see README.md), under PInsight:

    pinsight run -o trace -- python3 modes.py
    pinsight report trace --openmp
"""
import argparse
import sys
import time

import numpy as np

import chain
import calls


def compare(model, samples):
    """The response to some forces, computed by solving and by the modes: the two have to agree."""
    forces = model.forces(samples)
    direct = model.solve(forces)
    values, vectors = modes(model)
    by_modes = vectors @ calls.here((vectors.T @ calls.here(forces)) / values[:, None])
    return np.abs(direct - by_modes).max() / np.abs(direct).max()


def modes(model):
    """The stiffness is symmetric and positive: its singular values are its eigenvalues."""
    left, values, _ = np.linalg.svd(calls.here(model.stiffness))
    return values, left


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=360, help="masses in the chain (default 360)")
    parser.add_argument("--samples", type=int, default=240, help="forces to try (default 240)")
    parser.add_argument("--rounds", type=int, default=40, help="chains to look at (default 40)")
    parser.add_argument("--calls", metavar="FILE", help="write from where NumPy was called, as JSON")
    options = parser.parse_args()

    calls.wanted = options.calls is not None
    began = time.perf_counter()
    worst = 0.0
    for number in range(options.rounds):
        model = chain.Chain(options.n, seed=number)
        worst = max(worst, compare(model, options.samples))
    print("%d chains of %d masses in %.2f s, NumPy %s, the two ways differ by %.1e"
          % (options.rounds, options.n, time.perf_counter() - began, np.__version__, worst))
    if options.calls:
        calls.write(options.calls)
    return 0 if worst < 1e-8 else 1


if __name__ == "__main__":
    sys.exit(main())
