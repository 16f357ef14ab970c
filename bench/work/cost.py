"""Ten programs of ten kinds, which the group `cost` runs with and without PInsight.

    cost.py NAME N

Each runs N times what it does.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))


def arithmetic(n):
    """Few calls, much arithmetic."""
    import nbody

    return nbody.run(n)


def objects(n):
    """Short methods."""
    import richards

    return richards.run(n)


def documents(n):
    """JSON is written by the encoder that is written in Python, and read."""
    import json

    record = {"name": "node", "values": list(range(12)), "nested": [{"a": 1, "b": [True, None, 1.5]}] * 4}
    total = 0
    for _ in range(n):
        text = json.dumps(record, indent=1)
        total += len(json.loads(text)["values"])
    return total


def expressions(n):
    """Regular expressions, and small functions that they call."""
    import re

    word = re.compile(r"(\w+)=(\d+)")

    def twice(match):
        return match.group(1) + "=" + str(2 * int(match.group(2)))

    total = 0
    for number in range(n):
        text = "a=%d b=%d and some words c=%d" % (number, number + 1, number % 7)
        text = word.sub(twice, text)
        total += len(text.split()) + text.count("=") + text.find("c")
        if re.match(r"a=\d+ ", text) and text.startswith("a"):
            total += 1
    return total


def arrays(n):
    """NumPy on small arrays, where the calls cost."""
    import matrix

    return matrix.small(n)


class Tree:
    def __init__(self, depth):
        self.left = Tree(depth - 1) if depth else None
        self.right = Tree(depth - 1) if depth else None
        self.value = depth

    def walk(self):
        if self.left is not None:
            yield from self.left.walk()
        yield self.value
        if self.right is not None:
            yield from self.right.walk()


def numbers(limit):
    for value in range(limit):
        yield value


def generators(n):
    """Generators within generators."""
    tree = Tree(6)
    total = 0
    for _ in range(n):
        total += sum(tree.walk())
        total += sum(value * value for value in numbers(200) if value % 3)
    return total


class Refused(Exception):
    pass


def check(value):
    if value % 2:
        raise Refused(value)
    return value


def checked(value):
    try:
        return check(value)
    except Refused as refused:
        return -refused.args[0]


def exceptions(n):
    """Every second call raises an exception, which its caller catches."""
    total = 0
    for number in range(n):
        total += checked(number)
        try:
            {}[number]
        except KeyError:
            total += 1
    return total


def threads(n):
    """Four threads that compute, and want the GIL all the time."""
    import parts

    return parts.fight(n)


async def step(value):
    import asyncio

    await asyncio.sleep(0)
    return value


async def steps(n):
    import asyncio

    total = 0
    for number in range(n):
        total += sum(await asyncio.gather(*[step(number + index) for index in range(10)]))
    return total


def tasks(n):
    """Tasks of an event loop."""
    import asyncio

    return asyncio.run(steps(n))


MODULES = (
    "argparse asyncio base64 calendar concurrent.futures configparser csv ctypes dataclasses decimal difflib email.mime.text "
    "fractions ftplib gettext html.parser http.client http.server inspect ipaddress json.tool logging.config logging.handlers "
    "mailbox multiprocessing.pool optparse pathlib pdb pickle platform plistlib pprint profile pstats pydoc queue random "
    "sched selectors shelve shlex shutil smtplib socketserver sqlite3 ssl statistics string subprocess tarfile tempfile "
    "timeit trace typing unittest.mock urllib.request uuid venv wave xml.dom.minidom xml.sax xmlrpc.client zipapp zipfile"
)


def imports(n):
    """Modules of the standard library."""
    import importlib

    total = 0
    for name in MODULES.split():
        total += len(vars(importlib.import_module(name)))
    return total + n


PROGRAMS = {
    "arithmetic": arithmetic,
    "objects": objects,
    "documents": documents,
    "expressions": expressions,
    "arrays": arrays,
    "generators": generators,
    "exceptions": exceptions,
    "threads": threads,
    "tasks": tasks,
    "imports": imports,
}


if __name__ == "__main__":
    PROGRAMS[sys.argv[1]](int(sys.argv[2]))
