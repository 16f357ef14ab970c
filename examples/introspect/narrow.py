#!/usr/bin/env python3
"""narrow.py CHUNK PID CONFIGURATION: record only the hottest functions from now on.

A script for `trace_mode_after = INTROSPECT:SECONDS:narrow.py:TRACING`. It asks `pinsight report` which
functions took most of the time in the chunk, themselves and without what they called, and writes into the
configuration that these are recorded without limit and all others are only counted. Counts are enough to
see when other functions become hot.

$PINSIGHT is the command; $NARROW_TO is how many functions, 3 if it is not set. What stands in the
configuration above the line of MARK is left as it is; a function that has a section of its own there, such
as the one whose window starts this script, is left out.
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


def section(function):
    """The name of the section for one function: no letter in it is a wildcard."""
    file, name = (re.sub(r"([*?\[\]\\])", r"\\\1", function[key]) for key in ("file", "name"))
    return "Lexgion(Python:%s:%s)" % (file, name)


def narrowed(upper, hottest):
    lines = [upper, MARK,
             "[Lexgion.default]\n",
             "    max_num_traces   = 0\n",
             "    trace_mode_after = MONITORING\n"]
    for function in hottest:
        lines += ["[%s]\n" % section(function),
                  "    max_num_traces = -1\n"]
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
    if configuration == "-":
        sys.exit("narrow.py: the program runs without a configuration file (pinsight run -c FILE)")
    with open(configuration) as file:
        old = file.read()
    upper = old.partition(MARK)[0]
    own = re.findall(r"^\s*\[Lexgion\(Python:(?:[^]]*:)?([^:\]]*)\)\]", upper, re.M)
    candidates = [function for function in functions(pinsight, chunk)
                  if function["name"] not in own and not function["name"].startswith("<module")]
    hottest = sorted(candidates[:count], key=lambda function: (function["file"], function["line"]))
    if not hottest:
        sys.exit("narrow.py: there is no function in %s" % chunk)
    new = narrowed(upper, hottest)
    names = ", ".join(function["name"] for function in hottest)
    if new == old:
        print("narrow.py: still %s" % names)
    else:
        replace(pinsight, configuration, new)
        print("narrow.py: now %s" % names)


main()
