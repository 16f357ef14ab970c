"""Methods that dataclasses, namedtuple and attrs generate as text have the name of their class."""
import collections

import pytest

PROGRAM = """
import collections, dataclasses

@dataclasses.dataclass
class Point:
    x: int
    y: int

@dataclasses.dataclass(order=True, frozen=True)
class Version:
    number: int

class Outer:
    @dataclasses.dataclass
    class Inner:
        z: int

class Special(Point):
    pass

Pair = collections.namedtuple("Pair", "left right")

class Own(Pair):
    pass

for i in range(3):
    Point(i, i)
    Special(i, i)
    repr(Point(1, 2))
    Point(1, 2) == Point(1, i)
    Version(i) < Version(2)
    hash(Version(i))
    Outer.Inner(i)
    Pair(i, i)
    Own(1, 2)
exec("def loose(number):\\n    return number\\nloose(1)")
"""

CALLS = {"Point.__init__": 3 + 3 + 3 + 6, "Point.__repr__": 3, "Point.__eq__": 3, "Version.__init__": 9, "Version.__lt__": 3,
         "Version.__hash__": 3, "Outer.Inner.__init__": 3, "Pair.__new__": 6, "loose": 1}

ATTRS = """
import attr

@attr.s(auto_attribs=True)
class Point:
    x: int

@attr.s(auto_attribs=True, eq=True)
class Other:
    y: int

for i in range(3):
    Point(i)
    Other(i) == Other(1)
"""


def calls(traced):
    found = collections.Counter()
    for function in traced.report("--limit", "0")["functions"]:
        if function["file"].startswith(("<string>", "<attrs")):
            found[function["name"]] += function["calls"]
    return found


@pytest.mark.parametrize("mode", ["TRACING", "MONITORING"])
def test_of_the_library(mode, python, run_traced):
    found = calls(run_traced(python, PROGRAM, "--mode", mode, file="generated.py"))
    assert {name: found[name] for name in CALLS} == CALLS
    assert not any("<locals>" in name or name in ("__init__", "__new__") for name in found), found


def test_of_attrs(newest, run_traced):
    found = calls(run_traced(newest, ATTRS, packages=["attrs"], file="attrs.py"))
    assert (found["Point.__init__"], found["Other.__init__"], found["Other.__eq__"]) == (3, 6, 3), found
