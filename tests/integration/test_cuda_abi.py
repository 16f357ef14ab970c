"""What PInsight knows of CUPTI without NVIDIA's headers, compared with them; and their libraries without a driver."""
import json
import re
import subprocess

import pytest

from support import native, nvidia, places

pytestmark = pytest.mark.wheel  # NVIDIA's headers are packages of PyPI

FOLDER = places.ROOT / "src" / "tracer" / "cuda"
CALL = re.compile(r"^CALL\((.*)\)$", re.M)
STRUCT = re.compile(r"typedef struct (\w+)_params_st \{(.*?)\} \w+;", re.S)
MEMBER = re.compile(r"\(?\*?(\w+)\)?(?:\([^)]*\)|\[\w*\])?;")

# The names that the parameters have in cuda.h, by what the domain takes them for.
STREAMS = {"hStream"}
SIZES = {"ByteCount", "bytesize", "count", "size", "N", "Width", "WidthInBytes"}
TIMES = {"Height", "count"}
# In CUDA 13.5 some have another form, which CUDA 13.0 had under a number of its own.
FORMS = {"PLAIN", "LAUNCH", "LAUNCH_CONFIG", "COPY_TO", "COPY_FROM", "COPY_ON", "COPY_ANY", "COPY_2D", "COPY_3D", "COPY_BATCH",
         "SET_8", "SET_16", "SET_32", "TAKE"}


@pytest.fixture(scope="module", params=nvidia.WHEELS)
def cuda(request):
    return nvidia.Cuda(request.param)


class Table:
    """src/tracer/cuda/driver_calls.def."""

    def __init__(self):
        self.rows = []
        for line in CALL.findall((FOLDER / "driver_calls.def").read_text()):
            number, name, function, form, *places_of = [word.strip() for word in line.split(",")]
            if number.isdigit():
                first, second, size, times, stream, per_thread = map(int, places_of)
                self.rows.append((int(number), name, function, form, first, second, size, times, stream, per_thread))


def parameters(cuda):
    """{function: its parameters' declarations} of generated_cuda_meta.h, which as a whole no C file can include."""
    for include in cuda.includes:
        path = include[2:] + "/generated_cuda_meta.h"
        try:
            text = open(path).read()
        except FileNotFoundError:
            continue
        return dict(STRUCT.findall(text))
    raise AssertionError("no generated_cuda_meta.h")


@pytest.fixture(scope="module")
def compiled(cuda, tmp_path_factory):
    """compiled(name): the program of that name in tests/programs, compiled with NVIDIA's headers."""
    folder = tmp_path_factory.mktemp("abi")
    known = parameters(cuda)
    names = [row[1] for row in Table().rows if row[1] in known]
    (folder / "params.h").write_text("".join("struct %s_params {%s};\n" % (name, known[name]) for name in names))
    (folder / "calls.h").write_text("".join("CALL(%s);\n" % name + "".join(
        "PARAMETER(%s, %s);\n" % (name, member) for member in MEMBER.findall(known[name])) for name in names))

    def compile_one(name):
        includes = [folder, places.ROOT / "src", places.BUILD / "generated", places.TESTS]
        words = [native.COMPILER, "-std=gnu11", "-O1", "-Wall", "-Werror", *cuda.includes, *["-I%s" % path for path in includes],
                 str(places.PROGRAMS / (name + ".c")), "-o", str(folder / name)]
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
        assert done.returncode == 0, done.stdout
        return folder / name
    return compile_one


@pytest.fixture(scope="module")
def said(compiled):
    """What cuda_abi.c says: {("copy"|"sync"|"call", number): name}, and {(function, parameter): (offset, size)}."""
    numbers, places_of = {}, {}
    program = compiled("cuda_abi")
    for line in subprocess.run([program], stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout.splitlines():
        what, *rest = line.split()
        if what == "parameter":
            function, member, offset, size = rest
            places_of[function, member] = int(offset), int(size)
        else:
            numbers[what, int(rest[0])] = rest[1]
    return numbers, places_of


def test_structures_and_numbers(said):
    """They compile, which the assertions in cuda_abi.c make a comparison."""
    assert said


def test_numbers_of_events(said):
    """Events have CUPTI's own numbers of kinds of copies and of waiting."""
    letters = {"host": "H", "device": "D", "array": "A", "peer": "P"}
    enums = json.loads((places.ROOT / "src" / "events" / "cuda.json").read_text())["enums"]
    for name, number in enums["copy_kind"].items():
        theirs = said[0]["copy", number]
        source, _, target = name.partition("_to_")
        assert theirs == (letters[source] + "TO" + letters[target] if target else "UNKNOWN")
    assert {number: said[0]["sync", number] for number in enums["sync_kind"].values()} == {
        enums["sync_kind"][ours]: theirs for ours, theirs in (
            ("unknown", "UNKNOWN"), ("event", "EVENT_SYNCHRONIZE"), ("stream_waits_for_event", "STREAM_WAIT_EVENT"),
            ("stream", "STREAM_SYNCHRONIZE"), ("context", "CONTEXT_SYNCHRONIZE"))}


def test_driver_calls(cuda, said):
    """Each line of the table of the driver's calls: the callback's number, and the places of the arguments."""
    numbers, places_of = said
    wrong, seen = [], 0
    for number, name, function, form, first, second, size, times, stream, per_thread in Table().rows:
        assert form in FORMS
        if ("call", number) not in numbers:
            if any(what == "call" and theirs == name for (what, _), theirs in numbers.items()):
                wrong.append("%s has another number than %d" % (name, number))
            continue  # a later CUDA's, or one whose parameters the header has not
        seen += 1
        if numbers["call", number] != name:
            wrong.append("%d is %s, not %s" % (number, numbers["call", number], name))
        members = {offset: (member, length) for (of, member), (offset, length) in places_of.items() if of == name}
        roles = [("stream", stream, STREAMS), ("times", times, TIMES)]
        if form not in ("COPY_2D", "COPY_3D", "COPY_BATCH"):
            roles.append(("bytes", size, SIZES))
        for role, index, names in roles:
            if index >= 0 and members.get(8 * index, ("nothing",))[0] not in names:
                wrong.append("%s: %s is argument %d, which is %s" % (name, role, index, members.get(8 * index)))
        for index in (first, second):
            if index >= 0 and 8 * index not in members:
                wrong.append("%s: there is no argument %d" % (name, index))
        if stream < 0 and form not in ("LAUNCH_CONFIG",) and any(member == "hStream" for member, _ in members.values()):
            wrong.append("%s: its stream is not read" % name)
        if per_thread != name.endswith(("_ptds", "_ptsz")):
            wrong.append("%s: whose default stream?" % name)
        if form == "LAUNCH":
            shape = [members[offset][0] for offset in range(8, 36, 4)]
            assert shape == ["gridDimX", "gridDimY", "gridDimZ", "blockDimX", "blockDimY", "blockDimZ", "sharedMemBytes"]
        if form.startswith("SET_"):
            assert members[8 * second][1] == int(form[4:]) // 8, name
    assert not wrong, "\n".join(wrong)
    assert seen > 100


def test_arguments(compiled):
    """What is read from the arguments of each form, in NVIDIA's structures."""
    done = subprocess.run([compiled("cuda_arguments")], stdout=subprocess.PIPE, encoding="utf-8")
    assert done.returncode == 0 and not done.stdout, done.stdout


def test_functions_are_there(cuda):
    """The real library has each function that the domain needs; the latest one those that it uses if they are there."""
    needed, later = [set(re.findall(r"F\((cupti\w+)", part))
                     for part in (FOLDER / "cupti_abi.h").read_text().split("#define CUPTI_LATER_FUNCTIONS(F)")]
    done = subprocess.run(["nm", "-D", "--defined-only", cuda.cupti], stdout=subprocess.PIPE, encoding="utf-8", check=True)
    there = {line.split()[-1].split("@")[0] for line in done.stdout.splitlines()}
    assert len(needed) > 10 and needed <= there
    assert cuda.version != list(nvidia.WHEELS)[-1] or later <= there
