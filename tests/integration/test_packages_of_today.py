"""Packages with compiled code on the newest Pythons: a program prints and ends as it does without PInsight, and each of its
functions has as many calls as it made."""
import os
import re
import subprocess

import pytest

from support import places
from support.pythons import pythons

pytestmark = pytest.mark.wheel

NEWEST = ("3.14", "3.15")
# One thread computes: sums have the same bits in each run.
ENV = {name: "1" for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")}

NUMPY = """
import hashlib, sys
import numpy as np

def step(a, b):
    a = a @ b + np.sin(a).sum(axis=0)
    return a / np.linalg.norm(a)

def apply(function, a):
    return np.apply_along_axis(function, 0, a)

def column(values):
    return values.max() - values.min()

rng = np.random.default_rng(7)
a, b = rng.random((40, 40)), rng.random((40, 40))
for _ in range(25):
    a = step(a, b)
spread = apply(column, a)
text = np.array2string(np.sort(spread)[:5])
print(hashlib.sha256(a.tobytes() + spread.tobytes()).hexdigest(), text)
try:
    np.ones(3) @ np.ones(4)
except ValueError as error:
    print(type(error).__name__, error)
sys.exit(3)
"""
SCIPY = """
import numpy as np
from scipy import integrate, optimize, sparse, special
from scipy.sparse import linalg

evaluations = [0, 0]
def banana(x):
    evaluations[0] += 1
    return 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2

def density(x):
    evaluations[1] += 1
    return np.exp(-x * x) * special.jv(0, x)

found = optimize.minimize(banana, [-1.2, 1], method="Nelder-Mead")
area, _ = integrate.quad(density, 0, 3)
matrix = sparse.diags([np.full(50, 4.0), np.full(49, -1.0), np.full(49, -1.0)], [0, 1, -1], format="csc")
print(found.x.tobytes().hex(), area.hex(), linalg.spsolve(matrix, np.ones(50)).tobytes().hex())
print("calls", "banana=%d" % evaluations[0], "density=%d" % evaluations[1])
"""
PANDAS = """
import io
import numpy as np
import pandas as pd

def spread(values):
    return values.max() - values.min()

def label(number):
    return "even" if number % 2 == 0 else "odd"

rng = np.random.default_rng(3)
table = pd.DataFrame({"key": rng.integers(0, 20, 2000), "value": rng.random(2000)})
table["label"] = table["key"].map(label)
sums = table.groupby("key")["value"].agg(spread)
merged = table.merge(sums.rename("spread"), on="key").sort_values(["value", "key"])
text = merged.to_csv(index=False)
again = pd.read_csv(io.StringIO(text))
print(merged.head(4).to_string())
print(sums.describe().to_string(), len(text), again.equals(merged.reset_index(drop=True)))
raise SystemExit("on purpose")
"""
TORCH = """
import hashlib
import torch

torch.manual_seed(0)
torch.set_num_threads(1)
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = torch.nn.Linear(32, 64), torch.nn.Linear(64, 4)
    def forward(self, x):
        return self.last(torch.relu(self.first(x)))

def train(net, optimizer, x, y):
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(net(x), y)
    loss.backward()
    optimizer.step()
    return loss.item()

net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(128, 32), torch.randint(0, 4, (128,))
losses = [train(net, optimizer, x, y) for _ in range(10)]
print(" ".join(loss.hex() for loss in losses))
"""
GREENLET = """
import greenlet, sys

def numbers(count):
    for number in range(count):
        greenlet.getcurrent().parent.switch(number)

def square(number):
    return number * number

total = 0
for _ in range(20):
    source = greenlet.greenlet(numbers)
    number = source.switch(30)
    while number is not None:
        total += square(number)
        number = source.switch()

def fails():
    raise KeyError("thrown")

try:
    greenlet.greenlet(fails).switch()
except KeyError as error:
    print(total, error)
greenlet.greenlet(lambda: sys.exit(5)).switch()
"""
UVLOOP = """
import asyncio
import uvloop

async def serve(reader, writer):
    while line := await reader.readline():
        writer.write(answer(line))
        await writer.drain()
    writer.close()

def answer(line):
    return line[::-1].strip() + b"\\n"

async def ask(port, number):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    said = []
    for turn in range(20):
        writer.write(b"%d-%d\\n" % (number, turn))
        said.append((await reader.readline()).strip())
    writer.close()
    await writer.wait_closed()
    return said

async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    said = await asyncio.gather(*(ask(port, number) for number in range(10)))
    server.close()
    await asyncio.sleep(0)
    loop = asyncio.get_running_loop()
    print(type(loop).__module__, len(said), said[3][-1], await loop.run_in_executor(None, answer, b"abc"))
    raise RuntimeError("at the end")

uvloop.run(main())
"""
CYTHON_MODULE = """# cython: language_level=3
cdef class Walk:
    cdef public long steps
    def step(self, callback, n):
        cdef long i
        for i in range(n):
            self.steps += callback(i)
        return self.steps

def numbers(n):
    for i in range(n):
        yield i * i

async def later(callback):
    return callback(1)

def fails(callback):
    callback(0)
    raise ValueError("in C")
"""
CYTHON = """
import asyncio
import todays_kernel as kernel

def odd(number):
    return number & 1

def user(values):
    return sum(values)

walk = kernel.Walk()
print(walk.step(odd, 500), user(kernel.numbers(30)), asyncio.run(kernel.later(odd)))
try:
    kernel.fails(odd)
except ValueError as error:
    print(error)
kernel.fails(odd)
"""
# packages, program, calls of its functions
PROGRAMS = {
    "numpy": (["numpy"], NUMPY, {"step": 25, "column": 40}),
    "scipy": (["scipy"], SCIPY, {}),  # the program prints them
    "pandas": (["pandas"], PANDAS, {"label": 2000}),
    "torch": (["torch", "numpy"], TORCH, {"train": 10, "Net.forward": 10}),
    "greenlet": (["greenlet"], GREENLET, {"numbers": 20, "square": 600, "fails": 1}),
    "uvloop": (["uvloop"], UVLOOP, {"answer": 201, "ask": 10, "serve": 10}),
    "cython": (["Cython", "setuptools"], CYTHON, {"odd": 503, "user": 1}),
}


def prepared(name, python, folder):
    """The interpreter with the packages, and the program in the folder."""
    packages, program, calls = PROGRAMS[name]
    interpreter = python.with_packages(*packages)
    path = folder / ("%s_program.py" % name)
    path.write_text(program)
    if name == "cython":
        (folder / "todays_kernel.pyx").write_text(CYTHON_MODULE)
        done = subprocess.run([interpreter, "-m", "Cython.Build.Cythonize", "-i", "todays_kernel.pyx"], cwd=folder,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
        if done.returncode:
            places.missing("a module of Cython for Python %s:\n%s" % (python.short, done.stdout[-2000:]))
    return interpreter, path, calls


def without_addresses(text):
    return re.sub(r"0x[0-9a-f]+", "0x", text)


@pytest.mark.parametrize("mode", ["TRACING", "MONITORING"])
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("short", NEWEST)
def test_as_without(short, name, mode, run_command, tmp_path):
    python = next((python for python in pythons() if python.short == short), None)
    if not python:
        pytest.skip("CPython %s is not here" % short)
    interpreter, program, calls = prepared(name, python, tmp_path)
    alone = subprocess.run([interpreter, program], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, cwd=tmp_path, encoding="utf-8", env=dict(os.environ, **ENV), timeout=300)
    traced = run_command(interpreter, program, options=["--quiet", "--no-summary", "--mode", mode], env=ENV, timeout=600)
    assert (traced.rc, traced.stdout) == (alone.returncode, alone.stdout), traced.stderr
    assert without_addresses(traced.stderr) == without_addresses(alone.stderr)
    report = traced.report("--limit", "0")
    expected = dict(calls)
    for said in re.findall(r"(\w+)=(\d+)", alone.stdout.partition("\ncalls ")[2]):
        expected[said[0]] = int(said[1])
    found = {row["name"]: row["calls"] for row in report["functions"] if row["file"] == str(program)}
    assert expected and {key: found.get(key) for key in expected} == expected
    missing = report["not_recorded"]
    assert (missing["discarded_events"], missing["lost_frames"], missing["dropped_ends"]) == (0, 0, 0)
