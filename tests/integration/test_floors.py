"""No folder of src includes one above it, and a domain stands in its own folders.

src/floors.txt has the order of the folders. Nothing is built or traced here.
"""
import os
import pathlib
import re

from support import places

ROOT = places.ROOT
FLOORS = ROOT / "src" / "floors.txt"
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)
# What the generator writes belongs to the floor of its own folder. `describe` is the tables of src/events.
GENERATED = {"describe": "events"}
# Where a domain of PInsight's own is registered (docs/domains.md), with one line each.
REGISTERED = {"include/pinsight/view.h", "src/config/environment.c", "src/doctor/checks.def", "src/floors.txt",
              "src/reader/domains.def"}


# The reading half: what reads a trace. The folders of src/tracer are the other half.
READING = {"attach", "cli", "datalib", "doctor", "introspect", "plugin", "reader", "session", "viewlib", "views"}


def half_of(folder):
    """"tracer", "reading", or None for what both halves share."""
    first = folder.split("/")[0]
    return "tracer" if first == "tracer" else "reading" if first in READING else None


def read_floors(text):
    """The floor of each folder, counted from the top."""
    lines = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    return {folder: number for number, line in enumerate(lines) for folder in line}


def sources():
    for top in ("src", "include"):
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix in (".c", ".h", ".S"):
                yield path


def folder_of(name, floors):
    """The folder in the list that a path within src lies in, or None."""
    parts = name.split("/")[:-1]
    for length in range(len(parts), 0, -1):
        if "/".join(parts[:length]) in floors:
            return "/".join(parts[:length])
    return None


def place_of(path):
    """A path as the list has it: without src/, and include/ as it is."""
    return re.sub("^src/", "", path.relative_to(ROOT).as_posix())


def target_of(path, include):
    """What an include names, as place_of() would; None for what has no folder in the list."""
    for base in (path.parent, ROOT / "src", ROOT / "include"):
        whole = base / include
        if whole.is_file():
            return place_of(pathlib.Path(os.path.normpath(whole)))
    first = include.split("/")[0]
    return "/".join([GENERATED.get(first, first)] + include.split("/")[1:]) if "/" in include else None


def upward(files, floors):
    """A line for each include that goes up, sideways or into the other half. `files` are pairs of a path and its text."""
    wrong = []
    for path, text in files:
        here = folder_of(place_of(path), floors)
        for include in INCLUDE.findall(text):
            target = target_of(path, include)
            there = target and folder_of(target, floors)
            halves = {half_of(here), half_of(there)} if there else set()
            if there and there != here and (floors[there] <= floors[here] or halves == {"tracer", "reading"}):
                wrong.append("{} includes {}".format(place_of(path), include))
    return wrong


def test_every_folder_has_a_floor():
    floors = read_floors(FLOORS.read_text())
    assert not [place_of(path) for path in sources() if not folder_of(place_of(path), floors)]
    assert not [folder for folder in floors if not (ROOT / folder).is_dir() and not (ROOT / "src" / folder).is_dir()]


def test_no_include_goes_up():
    floors = read_floors(FLOORS.read_text())
    assert upward([(path, path.read_text()) for path in sources()], floors) == []


def test_an_include_that_goes_up_is_found():
    floors = read_floors(FLOORS.read_text())
    path = ROOT / "src" / "reader" / "model.c"
    for include in ("views/table.h", "session/launch.h", "tracer/record/stream.h"):
        assert upward([(path, '#include "{}"\n'.format(include))], floors)
    for include in ("base/memory.h", "reader/model.h", "format/layout.h", "stdio.h"):
        assert not upward([(path, '#  include "{}"\n'.format(include))], floors)


def test_the_architecture_draws_them():
    drawing = [line for line in FLOORS.read_text().splitlines() if not line.startswith("#")]
    assert "\n".join(drawing) in (ROOT / "docs" / "architecture.md").read_text()


def included(files):
    """{folder: folders that its files include}, with every folder of src by itself."""
    found = {}
    for path, text in files:
        here = place_of(path).rpartition("/")[0]
        targets = {target_of(path, include) for include in INCLUDE.findall(text)}
        found.setdefault(here, set()).update(target.rpartition("/")[0] for target in targets if target)
    return found


def mutual(files):
    """Pairs of folders that include each other."""
    found = included(files)
    return {(one, other) for one in found for other in found[one] if one < other and one in found.get(other, ())}


# Pairs of folders that still include each other. The list only shrinks.
MUTUAL = {
    ("reader", "reader/core"), ("reader", "reader/ctf"), ("reader", "reader/python"), ("reader/kit", "reader/python"),
    ("tracer/preload", "tracer/preload/libc"), ("tracer/python", "tracer/python/cpython"),
    ("tracer/python/cpython", "tracer/python/plain"), ("tracer/record", "tracer/record/file"),
    ("views", "views/report"), ("views/export", "views/profile"),
    ("views/insights", "views/report"), ("views/mpi", "views/report"), ("views/openmp", "views/report"),
}


def test_folders_that_include_each_other():
    assert mutual([(path, path.read_text()) for path in sources()]) == MUTUAL


def test_a_pair_of_folders_is_found():
    one, other = ROOT / "src" / "views" / "cuda" / "rows.c", ROOT / "src" / "views" / "report" / "tree.c"
    assert mutual([(one, '#include "views/report/tree.h"\n'), (other, '#include "views/cuda/cuda.h"\n')]) == {("views/cuda", "views/report")}


def named(word, files):
    """The files outside the word's own folders and its event table that name it, with the number of such lines."""
    lines = {}
    for path in files:
        place = path.relative_to(ROOT)
        if word in place.parts or place.as_posix() == "src/events/{}.json".format(word):
            continue
        text = path.read_bytes().decode(errors="replace").lower()
        count = sum(word in line for line in text.splitlines())
        if count:
            lines[place.as_posix()] = count
    return lines


def test_a_domain_stands_in_its_own_folders():
    files = [path for top in ("src", "include") for path in sorted((ROOT / top).rglob("*"))
             if path.is_file() and path.suffix != ".pyc"]
    assert named("cuda", files) == dict.fromkeys(REGISTERED, 1)
