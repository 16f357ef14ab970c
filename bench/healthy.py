#!/usr/bin/env python3
"""What stands out in programs that are well kept: each sentence is to be true, and worth saying.

    python3 -m venv V; V/bin/pip install pyperf pyperformance networkx docutils html5lib mako
    bench/healthy.py --python V/bin/python [NAME...]

Runs benchmarks of pyperformance, which hundreds of people have made fast, once each, and prints what PInsight says of
them. Whether a sentence is wrong is for a reader to judge: nothing in these programs is slow by mistake. The closing line
counts programs and sentences by rule.
"""
import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAMES = ("2to3 argparse async_generators async_tree asyncio_tcp barnes_hut base64 bpe_tokeniser chaos comprehensions "
         "concurrent_imap coroutines deepcopy deltablue docutils fannkuch float gc_collect generators go hexiom html5lib "
         "json_dumps json_loads logging mako mdp meteor_contest nbody networkx nqueens pathlib pickle pidigits pprint "
         "pyflate raytrace regex_compile regex_effbot regex_v8 richards scimark spectral_norm sqlite_synth telco "
         "typing_runtime_protocols unpack_sequence xml_etree").split()
WHERE = "import pyperformance, os; print(os.path.dirname(pyperformance.__file__))"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--python", default="python3", help="one that has pyperformance")
    parser.add_argument("--pinsight", default=str(ROOT / "build" / "bin" / "pinsight"))
    parser.add_argument("--mode", default="TRACING")
    parser.add_argument("--screen", action="store_true", help="print the first screen of each, too")
    its = parser.parse_args()
    if "/" in its.python:
        its.python = os.path.abspath(its.python)
    folder = pathlib.Path(subprocess.run([its.python, "-c", WHERE], stdout=subprocess.PIPE, encoding="utf-8",
                                         check=True).stdout.strip()) / "data-files" / "benchmarks"
    rules, ran = collections.Counter(), 0
    for name in its.names:
        with tempfile.TemporaryDirectory() as place:
            program = folder / ("bm_" + name) / "run_benchmark.py"
            words = [its.pinsight, "run", "--mode", its.mode, "-o", place + "/trace", "--", its.python, str(program),
                     "--worker", "-l1", "-w0", "-n3"]
            done = subprocess.run(words, cwd=place, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, encoding="utf-8")
            if done.returncode != 0:
                print("{}: did not run: {}".format(name, (done.stderr.strip().splitlines() or ["?"])[0]), flush=True)
                continue
            ran += 1
            told = subprocess.run([its.pinsight, "report", "-q", "--limit", "1", "--format", "json", place + "/trace"],
                                  stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
            found = json.loads(told)["stands_out"]
            rules.update(row["rule"] for row in found)
            print("{}: {}".format(name, "nothing" if not found else ""), flush=True)
            for row in found:
                print("    {:.0%} {}: {}".format(row["share"], row["rule"], row["text"]), flush=True)
            if its.screen:
                print(done.stderr)
    print("{} programs; {}".format(ran, ", ".join("{} {}".format(count, rule) for rule, count in rules.most_common())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
