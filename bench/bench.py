#!/usr/bin/env python3
"""Measure what PInsight costs, beside no tool, other tools and the least that it could cost.

    bench/bench.py [--quick] [--python TAG]... [--only GROUP]... [--build DIR]

Run it with `make bench`, which builds what it needs and gives it an LTTng of its own. The tables go to
standard output, and with all numbers to <build>/bench/results.txt and results.json.
"""

import argparse
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import pythons  # noqa: E402
from groups import (  # noqa: E402
    blas, cases, control, cost, finish, floor, instructions, link, memory, mpi, openmp, operators, parallel, parts, programs, reader,
    scale, size, startup, threads,
)
from harness import Bench  # noqa: E402
from store import Store, machine  # noqa: E402

GROUPS = [
    floor, operators, link, openmp, mpi, blas, instructions, control, size, threads, parallel, startup, memory, finish, reader, scale,
    cases, programs, parts, cost,
]  # fmt: skip


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0],
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="groups:\n" + "\n".join("  %-14s%s" % (group.NAME, group.ABOUT) for group in GROUPS),
    )
    repository = pathlib.Path(__file__).resolve().parent.parent
    parser.add_argument("--build", type=pathlib.Path, default=repository / "build", help="the build folder")
    parser.add_argument("--python", action="append", default=[], metavar="TAG", help="3.12, or a path; repeatable")
    parser.add_argument("--all", action="store_true", help="every Python that the build was made for")
    parser.add_argument("--only", action="append", default=[], metavar="GROUP", help="these groups; repeatable")
    parser.add_argument("--quick", action="store_true", help="a few minutes, less certain")
    parser.add_argument("--offline", action="store_true", help="install nothing with pip")
    parser.add_argument("--core", type=int, default=None, help="run what is traced on this core (the last one)")
    parser.add_argument("--scratch", type=pathlib.Path, help="where traces go meanwhile (default: in the build)")
    parser.add_argument("--output", type=pathlib.Path, help="the JSON file (default: <build>/bench/results.json)")
    parser.add_argument("--strict", action="store_true", help="fail when a budget is missed")
    parser.add_argument("--verbose", action="store_true", help="show the output of what fails")
    options = parser.parse_args()
    known = [group.NAME for group in GROUPS]
    named = [word for text in options.only for word in text.split(",")]
    for name in named:
        if name not in known:
            parser.error("there is no group '%s'; there are %s" % (name, ", ".join(known)))
    options.only = named or known
    if not (options.build / "bin" / "pinsight").exists():
        parser.error("%s has no bin/pinsight; run `make build` first" % options.build)
    if options.core is None:
        cores = sorted(os.sched_getaffinity(0))
        options.core = cores[-1] if len(cores) > 1 else None
    return options


def main():
    options = arguments()
    build = options.build.resolve()
    scratch = options.scratch or build / "bench" / "scratch"
    scratch.mkdir(parents=True, exist_ok=True)
    output = options.output or build / "bench" / "results.json"
    bench = Bench(build, scratch, options.core, options.quick, options.verbose)
    store = Store()
    store.about = machine()
    began = time.monotonic()
    chosen = pythons.choose(pythons.built(build), options.python, options.all)
    try:
        for python in chosen:
            pythons.prepare(python, build, bench.say, options.offline)
        store.about["Pythons"] = ", ".join(python.version for python in chosen)
        store.about["traced on"] = "any core" if options.core is None else "core %d" % options.core
        store.about["load at start"] = "%.1f" % os.getloadavg()[0]
        for group in GROUPS:
            if group.NAME not in options.only:
                continue
            for python in chosen[-1:] if getattr(group, "ONCE", False) else chosen:
                group.run(bench, python, store)
                store.write(output)  # so that an interrupted run leaves what it has
    except KeyboardInterrupt:
        bench.say("interrupted; what was measured until here follows")
    finally:
        bench.close()
    store.about["took"] = "%.0f s%s" % (time.monotonic() - began, ", --quick" if options.quick else "")
    store.write(output)
    text = store.text()
    output.with_suffix(".txt").write_text(text, encoding="utf-8")
    sys.stdout.write(text)
    bench.say("written: %s and %s" % (output, output.with_suffix(".txt")))
    return 1 if options.strict and store.missed() else 0


if __name__ == "__main__":
    sys.exit(main())
