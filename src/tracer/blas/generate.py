#!/usr/bin/env python3
"""Writes code from the table of BLAS's and LAPACK's routines.

    generate.py --table routines.txt --events blas.json --out DIR

The files in DIR have a line for each preloaded function, in the order of their numbers:

    entries.inc     the trampoline
    names.inc       the name
    words.inc       the number of words of its arguments
    functions.inc   its shape, and its reader

shapes.inc has a line for each routine in one type and one interface.

readers.inc has a line for each set of places of sizes and operands among the arguments. Functions
with the same places share a reader.

operations.inc has a line for each routine: its name and its number of floating-point
operations.

count.h has the number of functions.

The numbers of routines and types are those of two enums of the event table, which has to name the
same ones in the same order.
"""

import argparse
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "events"))
from common import write_if_changed  # noqa: E402

NOTICE = "/* Written by src/tracer/blas/generate.py from routines.txt beside it; edit that. */\n"
KINDS = ("level1", "level2", "level3", "lapack")
TYPES = ("s", "d", "c", "z", "sc", "dz", "cs", "zd")
COMPLEX = ("c", "z")  # types whose numbers C passes by address
MARKS = "!*@"  # of arguments, see routines.txt
VALUES_MOST = 2  # src/tracer/blas/frame.h
# Names of a function, and the bits of its integers: of the reference and OpenBLAS, of builds with
# 64-bit integers, and of the wheels of NumPy and SciPy.
FORTRAN = (("{}_", 32), ("{}_64_", 64), ("scipy_{}_", 32), ("scipy_{}_64_", 64))
C = (("cblas_{}", 32), ("cblas_{}64_", 64), ("cblas_{}_64", 64), ("scipy_cblas_{}", 32), ("scipy_cblas_{}64_", 64))

# Places of the operands in memory, and the arguments that say them.
LAYOUT = (("order", ("order",)), ("transa", ("transa", "trans")), ("transb", ("transb",)),
          ("lda", ("lda",)), ("ldb", ("ldb", "incx")), ("ldc", ("ldc", "incy")))  # fmt: skip


class TableError(Exception):
    """A line of the table breaks a rule. The text names it."""


class Routine:
    """A line of the table."""

    def __init__(self, kind, line):
        columns = [column.strip() for column in line.split("|")]
        if len(columns) != 4:
            raise TableError(f"not four columns: '{line}'")
        head, _, self.only_c = columns[0].partition(" C: ")
        self.kind, (self.name, *self.types) = kind, head.split()
        self.arguments = columns[1].split()
        self.sizes = columns[2].split()
        self.operations = columns[3]
        names = [argument.strip(MARKS) for argument in self.arguments]
        known = [*names, "-", "side", "job"]
        if not self.types or not set(self.types) <= set(TYPES):
            raise TableError(f"{self.name}: types are of {', '.join(TYPES)}")
        if len(self.sizes) != 3 or not set(self.sizes) <= set(known) or not set(self.sizes[:2]) <= set(names + ["-"]):
            raise TableError(f"{self.name}: m, n and k are arguments, side, job or -")
        if re.search(r"[^mnkrx0-9+*/()> -]", self.operations):
            raise TableError(f"{self.name}: operations are in m, n, k, r and x")
        if sum("*" in argument for argument in self.arguments) > VALUES_MOST:
            raise TableError(f"{self.name}: the trampolines keep {VALUES_MOST} floating-point arguments")

    def words_of(self, kind, of_type):
        """Returns the names of the arguments in general registers and on the stack, in order."""
        if kind == "fortran":
            letters = [argument for argument in self.arguments if "!" in argument]
            return [argument.strip(MARKS) for argument in self.arguments] + ["length"] * len(letters)
        words = ["order"] if self.kind != "level1" else []
        for argument in self.arguments:
            number = argument.endswith("*") or argument.startswith("*")
            if not number or (argument.endswith("*") and of_type in COMPLEX):
                words.append(argument.strip(MARKS))
        return words

    def functions(self):
        """Yields the type, the interface, and the names with their bits, for each type and
        interface of the routine."""
        for of_type in self.types:
            if not self.only_c:
                yield of_type, "fortran", [(name.format(of_type + self.name), bits) for name, bits in FORTRAN]
            if self.kind != "lapack":
                name = of_type + (self.only_c or self.name)
                yield of_type, "c", [(form.format(name), bits) for form, bits in C]


def read(path):
    kind, routines = None, []
    for line in path.read_text().splitlines():
        if line.startswith("["):
            kind = line.strip("[] ")
            if kind not in KINDS:
                raise TableError(f"kinds are of {', '.join(KINDS)}: '{line}'")
        elif line and not line.startswith("#"):
            routines.append(Routine(kind, line))
    return routines


def numbers_of(routines):
    """Returns the number of each name of a routine. Lines with other types can share a name."""
    names = list(dict.fromkeys(routine.name for routine in routines))
    return {name: number for number, name in enumerate(names)}


def check_enums(path, routines):
    enums = json.loads(path.read_text())["enums"]
    if enums["routine"] != numbers_of(routines):
        raise TableError(f"{path.name}: the enum routine is not that of the table, which is\n{json.dumps(numbers_of(routines))}")
    if enums["type"] != {name: number for number, name in enumerate(TYPES)}:
        raise TableError(f"{path.name}: the enum type has to be {', '.join(TYPES)}")


def shape(routine, number, of_type):
    fields = [f'.name = "{of_type}{routine.name}"', f".routine = {number}", f".type = {TYPES.index(of_type)}",
              f".kind = PINSIGHT_BLAS_KIND_{routine.kind.upper()}"]  # fmt: skip
    return f"    {{{', '.join(fields)}}},\n"


def places(routine, of_type, interface, bits):
    """Returns the initialiser of the places among the arguments."""
    words = routine.words_of(interface, of_type)
    m, n, k = routine.sizes
    jobs = [place for place, word in enumerate(words) if word.startswith("job")] if k == "job" else []
    fields = [f".is_c = {int(interface == 'c')}", f".is_wide = {int(bits == 64)}"]
    at = {size: words.index(size) for size in set(routine.sizes + ["side", "lwork", "batch", "groups"]) if size in words and size != "job"}
    fields += [f".{size} = {at.get(name, -1)}" for size, name in (("m", m), ("n", n), ("k", k if k not in ("side", "job") else "-"))]
    fields.append(f".side = {at['side'] if k == 'side' else -1}")
    for field, wanted in LAYOUT:
        fields.append(f".{field} = {next((words.index(name) for name in wanted if name in words), -1)}")
    fields += [f".job = {{{', '.join(str(place) for place in (jobs + [-1, -1])[:2])}}}", f".lwork = {at.get('lwork', -1)}",
               f".batch = {at.get('batch', -1)}", f".groups = {at.get('groups', -1)}"]  # fmt: skip
    return ", ".join(fields)


def operations(routine):
    """Returns the C expression, with doubles as constants."""
    return re.sub(r"\b(\d+)\b", r"\1.0", routine.operations)


def write(out, routines):
    numbers = numbers_of(routines)
    entries, names, words, shapes, pairs = "", "", "", "", ""
    readers = {}  # the number of each set of places
    shape_count = entry = 0
    for routine in routines:
        for of_type, interface, functions in routine.functions():
            shapes += shape(routine, numbers[routine.name], of_type)
            for name, bits in functions:
                entries += f"ENTRY {name} {entry}\n"
                names += f'"{name}",\n'
                words += f"{len(routine.words_of(interface, of_type))},\n"
                reader = readers.setdefault(places(routine, of_type, interface, bits), len(readers))
                pairs += f"{{{shape_count}, {reader}}},\n"
                entry += 1
            shape_count += 1
    formulas = {name: routine for routine in reversed(routines) for name in [routine.name]}
    table = "".join(f'OPERATIONS({numbers[name]}, "{name}", {formulas[name].kind.upper()}, {operations(formulas[name])})\n' for name in numbers)
    write_if_changed(out / "entries.inc", NOTICE + entries)
    write_if_changed(out / "names.inc", NOTICE + names)
    write_if_changed(out / "words.inc", NOTICE + words)
    write_if_changed(out / "shapes.inc", NOTICE + shapes)
    write_if_changed(out / "functions.inc", NOTICE + pairs)
    write_if_changed(out / "readers.inc", NOTICE + "".join(f"READER({number}, {its})\n" for its, number in readers.items()))
    write_if_changed(out / "operations.inc", NOTICE + table)
    write_if_changed(out / "count.h", f"{NOTICE}#define PINSIGHT_BLAS_FUNCTIONS {entry}\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--table", type=pathlib.Path, required=True)
    parser.add_argument("--events", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    given = parser.parse_args()
    try:
        routines = read(given.table)
        check_enums(given.events, routines)
    except TableError as error:
        sys.exit(f"{given.table}: {error}")
    given.out.mkdir(parents=True, exist_ok=True)
    write(given.out, routines)


if __name__ == "__main__":
    main()
