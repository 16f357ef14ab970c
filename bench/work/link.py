"""What the Python call path of a thread costs, asked for from C at a depth of DEPTH frames.

    link.py ROUNDS

It must run under `pinsight run`. The innermost function asks in C, by floor.link(n), which gives how long n
calls took. In each round:

  same    the path is the last one again
  last    another line of the innermost function, two in turns: one frame differs
  lines   the outermost function is at a line where it has not been, so each of the DEPTH paths is new
  codes   all functions are new, so each of their definitions is new too

and floor.emit(kind, n) and floor.define(codes) in the place of floor.link(): the definition events that `lines`
and `codes` record, as the floor's twins in the same channel. Those of `codes` are of other functions that are as
new, since a name that nobody has read before takes longer to copy.
"""

import functools
import json
import os
import sys
import time

from floors import listen
from run import load_floor

DEPTH = 20
FILE = "/home/somebody/project/package/module_%06d.py"  # as long as a path may be


def functions(serial, lines):
    """A chain of DEPTH functions; the outermost has so many lines, of which each calls the next."""
    text = ["def step_%02d(which, ask, n):\n    return step_%02d(which, ask, n)\n" % (i, i + 1) for i in range(1, DEPTH - 1)]
    text.append("def step_%02d(which, ask, n):\n    if which < 0:\n        return ask(n)\n    return ask(n)\n" % (DEPTH - 1))
    body = ["    if which == %d: return step_01(which, ask, n)\n" % i for i in range(lines)]
    text.append("def step_00(which, ask, n):\n%s    return step_01(which, ask, n)\n" % "".join(body))
    space = {}
    exec(compile("".join(text), FILE % serial, "exec"), space)
    return space["step_00"], [space["step_%02d" % i].__code__ for i in range(DEPTH)]


def main():
    rounds = int(sys.argv[1])
    floor = load_floor()
    listen(floor, "definitions", "definitions")
    floor.use_payload("step_00", FILE % 0, "", 1)
    paths = functools.partial(floor.emit, "paths")
    results = {name: [] for name in ("same", "last", "lines", "codes", "lines floor", "codes floor")}
    top, _ = functions(0, rounds)
    for number in range(rounds):
        top(rounds, floor.link, 1)
        results["same"].append(top(rounds, floor.link, 1000) / 1000)
        top(-1, floor.link, 1)
        results["last"].append(top(rounds, floor.link, 1))
        fresh, _ = functions(1 + 2 * number, 0)
        other, codes = functions(2 + 2 * number, 0)
        turns = [
            ("lines", top, number, floor.link, 1),
            ("lines floor", top, number, paths, DEPTH // 2),
            ("codes", fresh, 0, floor.link, 1),
            ("codes floor", other, 0, floor.define, codes),
        ]
        for name, function, which, ask, n in turns if number % 2 else reversed(turns):
            function(which, paths, 0)  # so that the interpreter has run it
            results[name].append(function(which, ask, n))
        if number % 50 == 0:
            time.sleep(0.01)
    with open(os.environ["PINSIGHT_BENCH_RESULT"], "w", encoding="utf-8") as file:
        json.dump({"rounds": rounds, "ns": results}, file)


if __name__ == "__main__":
    main()
