"""Allocations and garbage: processor time of loops that do little else, the least of several rounds, per turn."""

import json
import os
import sys
import time


def objects(count):
    make = object
    for _ in range(count):
        make()
        make()
        make()
        make()
        make()


def mixed(count):
    for number in range(count):
        table = {"a": number, "b": str(number)}
        both = (table, [number, number + 1000])
        "%d-%s" % (number, both[0]["b"])


class Node:
    pass


def garbage(count):
    for _ in range(count):
        node = Node()
        node.me = node


def least(case, count, rounds):
    case(count // 10)
    times = []
    for _ in range(rounds):
        start = time.process_time_ns()
        case(count)
        times.append(time.process_time_ns() - start)
    return min(times) / count


rounds = int(sys.argv[1])
report = {case.__name__: least(case, 100_000, rounds) for case in (objects, mixed, garbage)}
with open(os.environ["PINSIGHT_BENCH_RESULT"], "w") as file:
    json.dump(report, file)
