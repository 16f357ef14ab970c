"""Read what callgrind wrote: instructions by object file and function, without what was called."""

import collections
import os
import re

POSITION = re.compile(r"^(ob|fl|fi|fe|fn|cob|cfi|cfl|cfn)=\((\d+)\)(?: (.*))?$")


def read(path):
    """(object, function) -> instructions of its own. Raises OSError, and ValueError for another format."""
    names = collections.defaultdict(dict)
    costs = collections.Counter()
    place, function = "", ""
    skip = False
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            first = line[:1]
            if first.isdigit() or first in "+-*":
                # The line after calls= is the cost of what was called, which has lines of its own.
                if not skip:
                    costs[place, function] += int(line.split()[1])
                skip = False
                continue
            if line.startswith("calls="):
                skip = True
                continue
            found = POSITION.match(line.rstrip("\n"))
            if not found:
                continue
            kind, number, name = found.groups()
            table = names["ob" if kind in ("ob", "cob") else "fn" if kind in ("fn", "cfn") else "fl"]
            if name is not None:
                table[number] = name
            if kind == "ob":
                place = table[number]
            elif kind == "fn":
                function = table[number]
    if not costs:
        raise ValueError("%s holds no costs" % path)
    return costs


def part_of(place):
    """To which part an object file belongs: pinsight, floor, lttng, python, or the rest."""
    name = os.path.basename(place)
    if name.startswith("_pinsight_python") or name.startswith("libpinsight"):
        return "PInsight"
    if name.startswith("pinsight_floor"):
        return "floor"
    if name.startswith("liblttng"):
        return "LTTng"
    if name.startswith("libpython") or name.startswith("python"):
        return "Python"
    return "libc and others"
