#!/usr/bin/env python3
"""narrow.py CHUNK PID CONFIGURATION: record only the hottest functions, and look again from time to time.

A script for `trace_mode_after = INTROSPECT:SECONDS:narrow.py:TRACING`. The section with that line says how
long the program is looked at: max_num_traces executions of a function, with every function recorded.
When that is over, this script asks `pinsight report` which functions took most of the time, themselves and
without what they called, and writes into the configuration that only these are recorded. When the same
window is over again, much later, it takes that out, so that the program is looked at again.

$PINSIGHT is the command; $NARROW_TO is how many functions, 3 if it is not set; $NARROW_FOR is how much
longer the narrow part lasts than the look before it, 4 times if it is not set. A function that was called
once is no candidate. What stands in the configuration above the line of MARK is never changed.
"""
import json
import os
import re
import subprocess
import sys

MARK = "# ---- narrow.py writes what stands below ----\n"


def functions(pinsight, chunk):
    """The functions of a chunk, those with the most time of their own first."""
    report = subprocess.run([pinsight, "report", "--format", "json", chunk],
                            stdout=subprocess.PIPE, check=True)
    return json.loads(report.stdout)["functions"]


def trigger(upper):
    """The section whose window starts this script, and that window's length."""
    for header, body in re.findall(r"^\s*\[(Lexgion\(.*?\))\][^\n]*\n(.*?)(?=^\s*\[|\Z)", upper, re.M | re.S):
        length = re.search(r"^\s*max_num_traces\s*=\s*(\d+)", body, re.M)
        if re.search(r"^\s*trace_mode_after\s*=\s*\"?INTROSPECT:", body, re.M) and length:
            return header, int(length.group(1))
    sys.exit("narrow.py: no section [Lexgion(...)] has max_num_traces and INTROSPECT")


def narrowed(upper, hottest, times):
    header, length = trigger(upper)
    lines = [upper, MARK,
             "[Lexgion.default]\n    max_num_traces = 0\n",
             "[%s]\n    max_num_traces = %d\n" % (header, times * length)]
    for function in hottest:
        lines.append("[Lexgion(%s)]\n    max_num_traces = -1\n" % function["lexgion"])
    return "".join(lines)


def replace(pinsight, configuration, text):
    """A whole file takes the place of the old one, and only if it can be read."""
    new = configuration + ".new"
    with open(new, "w") as file:
        file.write(text)
    if subprocess.run([pinsight, "config", "check", new], stdout=subprocess.DEVNULL).returncode != 0:
        os.unlink(new)
        sys.exit("narrow.py: the configuration stays as it was")
    os.replace(new, configuration)


def main():
    chunk, _, configuration = sys.argv[1:]
    pinsight = os.environ.get("PINSIGHT", "pinsight")
    count = int(os.environ.get("NARROW_TO", "3"))
    times = int(os.environ.get("NARROW_FOR", "4"))
    if configuration == "-":
        sys.exit("narrow.py: the program runs without a configuration file (pinsight run -c FILE)")
    with open(configuration) as file:
        upper, mark, _ = file.read().partition(MARK)
    if mark:
        replace(pinsight, configuration, upper)
        print("narrow.py: looking at every function again", flush=True)
        return
    own = trigger(upper)[0].rpartition(":")[2].rstrip(")")
    found = [function for function in functions(pinsight, chunk)
             if function["name"] != own and function["calls"] > 1 and function["lexgion"]][:count]
    if not found:
        sys.exit("narrow.py: there is no function in %s" % chunk)
    replace(pinsight, configuration, narrowed(upper, found, times))
    print("narrow.py: only %s from now on" % ", ".join(function["name"] for function in found), flush=True)


main()
