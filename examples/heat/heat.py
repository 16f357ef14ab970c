#!/usr/bin/env python3
"""Heat in a square plate, computed in two ways and compared with the known solution."""

import argparse
import os
import sys
import tempfile
import time

# For systems of this size a second BLAS thread gains little, and on a busy machine it loses much:
# the threads spin while they wait for each other.  NumPy reads this when it is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from explicit import ExplicitStepper
from implicit import ImplicitStepper
from problem import Plate
from sensors import place_sensors, read_all
from snapshots import SnapshotWriter

EXPLICIT_PER_IMPLICIT = 25  # an implicit step is as long as this many explicit ones
SENSORS = 8
TOLERANCE = 20.0  # times the square of the grid spacing


def parse_arguments(argv):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=positive, default=384, help="inner grid points a side (384)")
    parser.add_argument("--steps", type=positive, default=4000, help="explicit steps (4000)")
    parser.add_argument(
        "--snapshots", type=positive, default=10, help="snapshots for each scheme (10)"
    )
    parser.add_argument(
        "--output",
        metavar="DIR",
        help="folder for the results; without it they go to a temporary one, removed at the end",
    )
    return parser.parse_args(argv)


def positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return value


def integrate(plate, stepper, steps, writer, snapshots):
    """Runs one scheme from time 0 and returns the field and its sensors."""
    field = plate.exact(0.0)
    sensors = place_sensors(plate, SENSORS)
    interval = max(1, steps // snapshots)
    for step in range(1, steps + 1):
        stepper.advance(field)
        read_all(sensors, field)
        if step % interval == 0:
            writer.submit("{}-{:06d}".format(stepper.name, step), field)
    return field, sensors


def run_scheme(plate, stepper, steps, writer, snapshots):
    """Runs one scheme, prints a line about it, and returns its final field and its error."""
    started = time.perf_counter()
    field, sensors = integrate(plate, stepper, steps, writer, snapshots)
    seconds = time.perf_counter() - started
    error = plate.error(field, steps * stepper.step_length)
    print(
        "{:<8} {:5d} steps in {:5.2f} s, relative error {:.1e}, hottest sensor ends at {:.4f}".format(
            stepper.name, steps, seconds, error, max(sensor.last for sensor in sensors)
        )
    )
    return field, error


def compute(plate, steps, snapshots, folder):
    """Both schemes over the same time; the larger of their errors."""
    short = plate.stable_step()
    long_steps = max(1, steps // EXPLICIT_PER_IMPLICIT)
    runs = (
        (ExplicitStepper(plate, short), steps),
        (ImplicitStepper(plate, short * steps / long_steps), long_steps),
    )
    writer = SnapshotWriter(folder)
    writer.start()
    errors = []
    try:
        for stepper, count in runs:
            field, error = run_scheme(plate, stepper, count, writer, snapshots)
            np.save(os.path.join(folder, stepper.name + "-final.npy"), field)
            errors.append(error)
    finally:
        writer.close()
    print("{} snapshots written".format(writer.written))
    return max(errors)


def main(argv=None):
    arguments = parse_arguments(argv)
    try:
        plate = Plate(arguments.n)
        print(
            "heat in a plate of {0} x {0} points, NumPy {1}".format(arguments.n, np.__version__)
        )
        if arguments.output is not None:
            os.makedirs(arguments.output, exist_ok=True)
            error = compute(plate, arguments.steps, arguments.snapshots, arguments.output)
            print("results are in {}".format(arguments.output))
        else:
            with tempfile.TemporaryDirectory(prefix="heat-") as folder:
                error = compute(plate, arguments.steps, arguments.snapshots, folder)
    except (OSError, ValueError) as failure:
        print("heat: {}".format(failure), file=sys.stderr)
        return 2
    if not error <= TOLERANCE * plate.spacing ** 2:
        print("heat: the error is too large: {:.1e}".format(error), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
