#!/usr/bin/env python3
"""How often `pinsight compare` is right, on a machine that has other work.

    bench/compare.py --times 7 --load 4        # three programs: old against new, and old against itself, seven times each

A comparison of two versions is right if it says that B is slower, and names the function that is. One of a version with
itself is right if it says that there is no change. A line is printed for each that is not. The exit status is 1 if more
than one of twenty versions, or any of the equal ones, was wrong. Load are busy loops beside it; the load that the machine
has without them is printed.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
VERSIONS = ROOT / "bench" / "work" / "versions"
CATALOGUE = ROOT / "examples" / "culprits" / "catalogue"
# The program, the folder of its versions, its size, and the function that is slower in the newer one.
PROGRAMS = {
    "catalogue": (CATALOGUE / "catalogue.py", CATALOGUE, "1500", "key"),
    "tokens": (VERSIONS / "tokens.py", VERSIONS, "1500", "number"),
    "cells": (VERSIONS / "cells.py", VERSIONS, "40", "count"),
}


def command(name, version, python):
    program, folder, size, _ = PROGRAMS[name]
    return ["env", "PYTHONPATH=" + str(folder / version), "PYTHONDONTWRITEBYTECODE=1", python, str(program), size]


def compare(its, name, other):
    words = [its.pinsight, "compare", "-n", str(its.runs), "--format", "json", "--quiet", "--",
             *command(name, "old", its.python), "--to", *command(name, other, its.python)]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    if done.returncode != 0:
        sys.exit("{}: {}".format(" ".join(words), done.stderr))
    return json.loads(done.stdout)


def said(told):
    """What a comparison came to: the change, and the function that most of it is of."""
    changes = [row for row in told["rows"] if row["verdict"] in ("more", "less", "new", "gone")]
    return told["change_percent"], changes[0]["name"] if changes else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=7, help="comparisons of each kind and program (default 7)")
    parser.add_argument("--runs", type=int, default=5, help="runs of each side (default 5)")
    parser.add_argument("--load", type=int, default=0, help="busy loops beside it (default 0)")
    parser.add_argument("--python", default="python3")
    parser.add_argument("--pinsight", default=str(ROOT / "build" / "bin" / "pinsight"))
    its = parser.parse_args()
    busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(its.load)]
    wrong, all_of, began = {"new": 0, "old": 0}, {"new": 0, "old": 0}, time.monotonic()
    try:
        for turn in range(its.times):
            for name in PROGRAMS:
                for other in ("new", "old"):
                    percent, function = said(compare(its, name, other))
                    slower = PROGRAMS[name][3]
                    right = function == slower and percent > 0 if other == "new" else function is None
                    all_of[other] += 1
                    if not right:
                        wrong[other] += 1
                        print("wrong: {} against {}: {:+.1f} %, most by {}".format(name, other, percent, function), flush=True)
            print("turn {}: load {:.1f}".format(turn + 1, os.getloadavg()[0]), flush=True)
    finally:
        for process in busy:
            process.kill()
            process.wait()
    for other, what in (("new", "two versions"), ("old", "equal ones")):
        print("{}: {} of {} right".format(what, all_of[other] - wrong[other], all_of[other]))
    print("{:.0f} s".format(time.monotonic() - began))
    return 1 if wrong["old"] or 20 * wrong["new"] > all_of["new"] else 0


if __name__ == "__main__":
    sys.exit(main())
