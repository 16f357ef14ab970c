"""Notes from where NumPy is called, so that it can be compared with what a trace says.

`here(x)` gives x back. Written as an argument of a call, it stands on the line of that call, and the
call path at that moment is the one that the call has. It does nothing unless `--calls` is given.
"""
import json
import traceback

wanted = False
paths = {}


def here(x):
    if wanted:
        stack = tuple((frame.filename, frame.lineno, frame.name) for frame in traceback.extract_stack()[:-1])
        paths[stack] = paths.get(stack, 0) + 1
    return x


def write(name):
    with open(name, "w", encoding="utf-8") as file:
        json.dump([{"times": times, "frames": [list(frame) for frame in stack]}
                   for stack, times in paths.items()], file, indent=1)
