"""Calls of classes that a program makes, and of their objects: what a type in C does for a class that derives from it is a call into C."""

PROGRAM = """
import collections, enum, functools
class Numbers(list): pass
class Text(str): pass
class Mine(ValueError): pass
class Plain: pass
class WithInit(list):
    def __init__(self, items): super().__init__(items)
class WithNew(tuple):
    def __new__(cls, items): return super().__new__(cls, items)
class Derived(WithInit): pass
class Color(enum.Enum): RED = 1
class Called(type):
    def __call__(cls): return super().__call__()
class Made(list, metaclass=Called): pass
class Solver(functools.partial):
    __slots__ = ("__name__",)
solver = Solver(len, ())
solver.__name__ = "conjugate_gradients"
Point = collections.namedtuple("Point", "x y")
def calls():
    for _ in range(3):
        Numbers((1, 2)); Text("a"); Mine("x")
        Plain(); WithInit([1]); WithNew([1]); Derived([2]); Color(1); Made(); Point(1, 2); solver()
def churn():
    for number in range(50):
        made = type("Churn", (list,), {})
        made((1, 2))
calls()
churn()
"""


def test_classes_of_c_types(newest, run_traced):
    told = run_traced(newest, PROGRAM, "--no-summary", file="classes.py").report()
    made = {row["name"]: row["calls"] for row in told["c_calls"] if row["caller"] == "calls"}
    # An object can have its own name in a slot.
    assert made == {"__main__.Numbers": 3, "__main__.Text": 3, "__main__.Mine": 3, "__main__.conjugate_gradients": 3, "range": 1}
    # Classes that are gone leave their address to others.
    (row,) = [row for row in told["c_calls"] if row["name"] == "__main__.Churn"]
    assert row["calls"] == 50
    missing = told["not_recorded"]
    assert missing["lost_frames"] == missing["dropped_ends"] == 0
