#!/usr/bin/env python3
"""Checks the CUDA domain on a machine with a GPU: real programs, beside what they say of themselves.

    tests/gpu/run.py [--build DIR] [--python PYTHON] [--keep DIR] [NAME...]

DIR is a build or an installation of PInsight (default: build); PYTHON has PyTorch, CuPy or Numba, of which those that
are missing are passed over, and said. NAME is the name of a check, or the begin of one. The exit status is 0 where all
checks that could be made passed. Needs nothing but the standard library.
"""
import argparse
import collections
import csv
import io
import json
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"
checks = []


def check(function):
    checks.append(function)
    return function


class Missing(Exception):
    """What a check needs is not on this machine."""


class Lab:
    def __init__(self, options):
        build = pathlib.Path(options.build).resolve()
        self.command = build / "bin/pinsight"
        self.python = options.python
        self.folder = pathlib.Path(options.keep or tempfile.mkdtemp(prefix="pinsight-gpu-"))
        self.folder.mkdir(parents=True, exist_ok=True)
        self.count = 0
        self.notes = []

    def note(self, text):
        self.notes.append(text)

    def need(self, module):
        if subprocess.run([self.python, "-c", f"import importlib.util, sys; sys.exit(importlib.util.find_spec({module!r}) is None)"]).returncode:
            raise Missing(f"no {module}")

    def compiled(self, name):
        compiler = shutil.which("nvcc") or next(iter(sorted(pathlib.Path("/usr/local").glob("cuda*/bin/nvcc"))), None)
        if not compiler:
            raise Missing("no nvcc")
        target = self.folder / name
        if not target.exists():
            subprocess.run([compiler, "-O1", "-o", target, PROGRAMS / f"{name}.cu"], check=True)
        return target

    def run(self, *words, env=(), timeout=240, **how):
        return subprocess.run([str(word) for word in words], env={**os.environ, **dict(env)}, timeout=timeout, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, **how)

    def plain(self, program, *words, **how):
        return self.run(self.python, PROGRAMS / program, *words, **how)

    def trace(self, *words, options=(), env=(), status=0):
        """Runs a command under `pinsight run`; returns what came of it, and its trace."""
        self.count += 1
        folder = self.folder / f"trace-{self.count}"
        done = self.run(self.command, "run", "-o", folder, *options, "--", *words, env=env)
        assert done.returncode == status, f"exit status {done.returncode}\n{done.stdout}\n{done.stderr}"
        return Trace(self, folder, done)

    def traced(self, program, *words, **how):
        return self.trace(self.python, PROGRAMS / program, *words, **how)

    def steps(self, module, program):
        """The trace of a program that takes steps with a module, its rows, and what the program tells of them."""
        self.need(module)
        told = self.folder / f"{program}.json"
        trace = self.traced(program, told)
        return trace, trace.rows(), json.loads(told.read_text())


class Trace:
    def __init__(self, lab, folder, done):
        self.lab, self.folder, self.done = lab, folder, done

    def rows(self):
        text = self.lab.run(self.lab.command, "export", "-q", "--to", "csv", "-o", "-", self.folder).stdout
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
        for row in rows:
            for key, value in row.items():
                if key not in ("category", "name", "file"):
                    row[key] = int(value)
            row["end_ns"] = row["begin_ns"] + row["duration_ns"]
        return rows

    def report(self, *options):
        done = self.lab.run(self.lab.command, "report", "-q", "--format", "json", *options, self.folder)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def screen(self, *options):
        return self.lab.run(self.lab.command, "report", *options, self.folder).stdout


def near(left, right, share):
    return abs(left - right) <= share * max(abs(left), abs(right))


def counted(rows, category="device"):
    return collections.Counter(re.split(r"[<(]", row["name"].replace("void ", ""))[0] for row in rows if row["category"] == category)


def check_times(rows):
    """Work within the run, after its launch began; in a stream one after the other. Returns the least latency."""
    calls = {(row["pid"], row["correlation"]): row for row in rows if row["category"] == "cuda" and row["correlation"]}
    begin, end = min(row["begin_ns"] for row in rows), max(row["end_ns"] for row in rows if row["category"] != "device")
    latencies, last, without = [], {}, 0
    for row in rows:
        if row["category"] != "device":
            continue
        assert begin <= row["begin_ns"] < row["end_ns"] <= end, row
        stream = row["pid"], row["device"], row["context"], row["stream"]
        assert row["begin_ns"] >= last.get(stream, 0), row
        last[stream] = row["end_ns"]
        call = calls.get((row["pid"], row["correlation"]))
        if not call:
            without += 1
            continue
        latencies.append(row["begin_ns"] - call["begin_ns"])
    assert not without, f"{without} pieces of work have no call"
    assert min(latencies) >= 0, f"work begins {-min(latencies)} ns before its launch"
    return min(latencies)


def check_whole(trace):
    """Nothing is missing, and nothing had to be moved."""
    records = trace.report()["cuda"]["records"]
    wrong = {key: records[key] for key in ("without_call", "without_times", "shortened", "calls_without") if records[key]}
    assert not wrong, wrong


def check_lines(rows, program):
    """Each piece of work has a line of Python, of the program's own."""
    without = [row["name"] for row in rows if row["category"] == "device" and not row["file"]]
    assert not without, f"{len(without)} pieces of work have no line: {without[:5]}"
    own = sum(row["file"].endswith(program) for row in rows if row["category"] == "device")
    assert own, "no work has a line of the program"


# ---- programs ----


def copies(lab, activity):
    program = lab.compiled("copies")
    told = lab.folder / "copies.json"
    trace = lab.trace(program, told, env={"PINSIGHT_DEVICE_ACTIVITY": activity})
    return json.loads(told.read_text()), trace


def check_copies(told, trace, nodes):
    rows = trace.rows()
    found = counted(rows)
    kernels = {name: sum(count for key, count in found.items() if name in key) for name in ("fill", "spin")}
    graphs = told["graphs"] if nodes else 0
    assert kernels == {"fill": told["fill"] + graphs * told["nodes"], "spin": told["spin"]}, found
    assert found["memcpy device to host"] == told["to_host"], found
    assert found["memcpy host to device"] == told["to_device"], found
    assert found["memcpy device to device"] == told["on_device"], found
    assert found["memset"] == told["sets"] + graphs, found
    calls = counted(rows, "cuda")
    assert calls["cudaGraphLaunch"] == told["graphs"] and calls["cudaKernelLaunch"] == told["fill"] + told["spin"] + told["nodes"], calls
    return rows


@check
def c_program(lab):
    told, trace = copies(lab, "one_per_node")
    latency = check_times(check_copies(told, trace, True))
    check_whole(trace)
    lab.note(f"least time from launch to kernel {latency / 1000:.1f} us")


@check
def c_program_graphs_whole(lab):
    told, trace = copies(lab, "on")
    rows = check_copies(told, trace, False)
    graphs = [row for row in rows if row["category"] == "device" and "graph" in row["name"].lower()]
    assert len(graphs) == told["graphs"], counted(rows)
    check_times(rows)


@check
def c_program_without_devices(lab):
    told, trace = copies(lab, "off")
    rows = trace.rows()
    assert not any(row["category"] == "device" for row in rows)
    assert counted(rows, "cuda")["cudaGraphLaunch"] == told["graphs"]


@check
def cupy_program(lab):
    trace, rows, told = lab.steps("cupy", "cupy_steps.py")
    assert counted(rows)["twice"] == told["twice"], counted(rows)
    check_times(rows)
    check_lines(rows, "cupy_steps.py")
    check_whole(trace)


@check
def library_marks(lab):
    """Calls of cuBLAS are in the timeline, inside the Python that made them."""
    lab.need("cupy")
    rows = lab.traced("cupy_steps.py", lab.folder / "marks.json").rows()
    marks = collections.Counter(row["name"] for row in rows if re.match("cu(BLAS|DNN)", row["name"]))
    lab.note(f"marks: {dict(marks)}")
    assert sum(marks.values()) >= 10, "cuBLAS marks nothing"


@check
def numba_program(lab):
    trace, rows, told = lab.steps("numba.cuda", "numba_steps.py")
    kernels = [row for row in rows if row["category"] == "device" and "increment" in row["name"]]
    assert len(kernels) == told["increment"] and told["first"] == told["increment"], counted(rows)
    check_times(rows)
    check_lines(rows, "numba_steps.py")
    check_whole(trace)


@check
def torch_training(lab):
    """Counts and times beside those of PyTorch's own profiler, in a run of its own."""
    lab.need("torch")
    own, ours = lab.folder / "own.json", lab.folder / "ours.json"
    assert lab.plain("train.py", own, "--profile").returncode == 0
    trace = lab.traced("train.py", ours)
    rows, own, ours = trace.rows(), json.loads(own.read_text()), json.loads(ours.read_text())
    assert ours["loss"] == own["loss"]
    kernels = [row for row in rows if row["category"] == "device" and not row["name"].startswith(("memcpy", "memset"))]
    assert len(kernels) == own["kernels"], (len(kernels), own["kernels"])
    total = sum(row["duration_ns"] for row in kernels) / 1000
    lab.note(f"{len(kernels)} kernels, {total:.0f} us; PyTorch's profiler: {own['kernels']}, {own['kernel_us']:.0f} us")
    assert near(total, own["kernel_us"], 0.02), (total, own["kernel_us"])
    latency = check_times(rows)
    check_lines(rows, "train.py")
    check_whole(trace)
    lab.note(f"least time from launch to kernel {latency / 1000:.1f} us")


@check
def torch_backward_lines(lab):
    """Kernels of the backward pass have the line of backward(), and that of the forward operation."""
    lab.need("torch")
    trace = lab.traced("train.py", lab.folder / "lines.json", "--steps", "8")
    source = (PROGRAMS / "train.py").read_text().splitlines()
    line = {what: 1 + next(i for i, text in enumerate(source) if what in text) for what in ("loss.backward()", "out = model(x)", "optimizer.step()")}
    rows = trace.rows()
    main = min(row["tid"] for row in rows if row["category"] == "python")
    by_line = collections.Counter(row["line"] for row in rows if row["category"] == "device" and row["file"].endswith("train.py"))
    for what, number in line.items():
        assert by_line[number] >= 8, (what, number, by_line)
    threads = {row["tid"] for row in rows if row["category"] == "cuda" and row["line"] == line["loss.backward()"]}
    assert threads - {main}, "no launch of the backward pass came from a thread of PyTorch's"
    lab.note("lines of device work: " + ", ".join(f"{number}: {count}" for number, count in sorted(by_line.items())))
    forward = collections.Counter()
    for row in trace.report("--links", "--limit", "0")["links"]["lines"]:
        if row["line"] == line["loss.backward()"]:
            forward[row["forward_line"]] += row["cuda"]["calls"]
    lab.note("calls of the backward pass by the line of the forward operation: " + ", ".join(f"{number}: {count}" for number, count in forward.items()))
    assert forward[line["out = model(x)"]] > forward[None], forward


@check
def torch_step_time(lab):
    """A training step's time with PInsight beside that without, by turns."""
    lab.need("torch")
    times = {"plain": [], "traced": []}
    for turn in range(4):
        told = lab.folder / f"step-{turn}.json"
        assert lab.plain("train.py", told).returncode == 0
        times["plain"].append(json.loads(told.read_text())["step"])
        lab.traced("train.py", told)
        times["traced"].append(json.loads(told.read_text())["step"])
    ratio = statistics.median(times["traced"]) / statistics.median(times["plain"])
    lab.note("steps: " + ", ".join(f"{what} {' '.join('%.3f' % (1000 * one) for one in all_)} ms" for what, all_ in times.items()) + f"; ratio {ratio:.3f}")
    assert ratio <= 1.05, ratio


def check_starved(lab, *options):
    lab.need("torch")
    trace = lab.traced("train.py", lab.folder / "starved.json", "--steps", "10", "--sleep", "0.05", *options)
    text = trace.done.stdout + trace.done.stderr
    (lab.folder / ("starved%s.txt" % "".join(options))).write_text(text)
    return " ".join(text.split())


@check
def starvation(lab):
    text = check_starved(lab)
    assert re.search(r"GPU 0 idle \S+ % of .*? in load_batch \(\S*train\.py:\d+", text), text


@check
def starvation_by_workers(lab):
    text = check_starved(lab, "--workers", "1")
    assert re.search(r"GPU 0 idle \S+ % of .*? in the data loader, called by .*?, while others are in load_batch", text), text


# ---- the program is not harmed ----


@check
def own_profiler(lab):
    """A program with torch.profiler has what it has without PInsight."""
    lab.need("torch")
    own, ours = lab.folder / "profiler.json", lab.folder / "profiler-traced.json"
    plain = lab.plain("train.py", own, "--profile", "--steps", "8")
    trace = lab.traced("train.py", ours, "--profile", "--steps", "8")
    own, ours = json.loads(own.read_text()), json.loads(ours.read_text())
    assert ours["kernels"] == own["kernels"] and ours["names"] == own["names"], (own["kernels"], ours["kernels"])
    assert "MULTIPLE_SUBSCRIBERS" not in trace.done.stderr, trace.done.stderr
    assert "profiler" in trace.done.stderr and plain.returncode == 0, trace.done.stderr


@check
def same_output(lab):
    """Errors and ends of the program are its own."""
    lab.need("torch")
    programs = {
        "exit": ("import torch, os\nx = torch.ones(10, device='cuda')\nfor _ in range(100): x += 1\ntorch.cuda.synchronize()\nprint(int(x[0]), flush=True)\nos._exit(3)", 3),
        "killed": ("import torch, os\nx = torch.ones(4096, 4096, device='cuda')\nfor _ in range(100): x = x @ x / 4096\nprint('now', flush=True)\nos.kill(os.getpid(), 9)", -9),
        "no synchronisation": ("import torch\nx = torch.ones(4096, 4096, device='cuda')\nfor _ in range(300): x = x @ x / 4096\nprint('done')", 0),
        "out of memory": ("import torch\ntry: torch.empty(1 << 45, device='cuda')\nexcept torch.OutOfMemoryError: print('no room')", 0),
        "sticky error": ("import torch, sys\nx = torch.ones(8, dtype=torch.long, device='cuda')\ny = torch.ones(8, device='cuda')\ntry:\n    y[x * 100]; torch.cuda.synchronize()\nexcept Exception as error: print(type(error).__name__)\nsys.exit(5)", 5),
    }
    for name, (text, status) in programs.items():
        program = lab.folder / f"{name.replace(' ', '_')}.py"
        program.write_text(text)
        plain = lab.run(lab.python, program)
        assert plain.returncode == status, (name, plain)
        trace = lab.trace(lab.python, program, status=status)
        assert plain.stdout in trace.done.stdout, (name, trace.done.stdout)
        told = trace.report().get("cuda", {})
        works = sum(work["count"] for work in told.get("work", []))
        calls = {one["name"]: one["calls"] for one in told.get("functions", [])}
        lab.note(f"{name}: {calls.get('cudaKernelLaunch', 0)} launches, {works} records of work")
        if name == "exit":
            assert works >= 100, told
            check_whole(trace)


@check
def switched(lab):
    lab.need("torch")
    package = next(iter(sorted(lab.command.parent.parent.glob("lib*/pinsight/python"))), None)
    if not package:
        raise Missing("no pinsight package")
    trace = lab.traced("switched.py", env={"PYTHONPATH": f"{package}:{os.environ.get('PYTHONPATH', '')}"})
    assert "480" in trace.done.stdout, trace.done.stdout
    rows = trace.rows()
    adds = [row for row in rows if row["category"] == "device" and "add" in row["name"]]
    assert len(adds) == 20, (len(adds), counted(rows))


@check
def windows(lab):
    """A region of a kernel: the first launches, and what devices did for them alone."""
    lab.need("cupy")
    config = lab.folder / "windows.ini"
    config.write_text("[Lexgion(CUDA:twice)]\nmax_num_traces = 3\n")
    trace = lab.traced("cupy_steps.py", lab.folder / "windows.json", options=["--config", config])
    rows = trace.rows()
    assert counted(rows)["twice"] == 3, counted(rows)
    assert sum(row["category"] == "cuda" and row["name"] == "cudaMemcpyAsync" for row in rows) > 3


@check
def monitoring(lab):
    lab.need("cupy")
    trace = lab.traced("cupy_steps.py", lab.folder / "monitoring.json", env={"PINSIGHT_TRACE_CUDA": "MONITORING"})
    assert not any(row["category"] in ("cuda", "device") for row in trace.rows())
    assert "twice" in json.dumps(trace.report()), "the kernel's launches are not counted"


@check
def cost(lab):
    """What a launch costs beside what CUPTI costs by itself (bench/cuda)."""
    launches, bare = (lab.command.parent.parent / "bench" / name for name in ("pinsight_cuda_launches", "pinsight_cuda_bare.so"))
    if not bare.exists():
        raise Missing("no bench: cmake --build build --target pinsight_bench_cuda")
    found = lab.run(lab.command, "doctor").stdout
    cupti = re.search(r"\S*libcupti\.so\S*", found)
    if not cupti:
        raise Missing("no libcupti")
    cupti = cupti.group().strip("(),;:")
    bare = {"CUDA_INJECTION64_PATH": str(bare), "BARE_CUPTI": cupti}

    def least(*options, env=(), traced=False):
        """By turns, the least of some."""
        if traced:
            return float(lab.trace(launches, options=["--domains", "cuda", *options], env=env).done.stdout.split()[0])
        return float(lab.run(launches, env=env).stdout)

    kinds = {
        "no tool": dict(),
        "CUPTI's callbacks": dict(env=bare),
        "CUPTI's callbacks, and two bare events": dict(env={**bare, "BARE_EVENTS": "1"}, traced=True),
        "CUPTI's callbacks and records": dict(env={**bare, "BARE_ACTIVITY": "1"}),
        "PInsight, device_activity = off": dict(env={"PINSIGHT_DEVICE_ACTIVITY": "off"}, traced=True),
        "PInsight": dict(traced=True),
        "PInsight, MONITORING": dict(env={"PINSIGHT_TRACE_CUDA": "MONITORING"}, traced=True),
        "PInsight, STANDBY": dict(env={"PINSIGHT_TRACE_CUDA": "STANDBY"}, traced=True),
    }
    times = {kind: min(least(**how) for _ in range(5)) for kind, how in kinds.items()}
    for kind, ns in times.items():
        lab.note(f"{kind}: {ns:.0f} ns a launch")
    added = times["PInsight"] - times["CUPTI's callbacks and records"]
    floor = times["CUPTI's callbacks, and two bare events"] - times["CUPTI's callbacks"]
    lab.note(f"added to CUPTI's own cost: {added:.0f} ns; two bare events {floor:.0f} ns: {added / floor / 2:.2f} of four (limit 1.25)")
    assert added <= 1.25 * 2 * floor, (added, floor)


def line_of(mark):
    lines = (PROGRAMS / "planted.py").read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.endswith("# " + mark))


@check
def planted(lab):
    """What stands out names the line of a planted fault, on the first screen; nothing where there is none."""
    lab.need("torch")
    failed = []
    for name, rules, line in (("item", ("device_idle", "small_copies"), "item"), ("collate", ("device_idle",), "collate"),
                              ("small", ("device_idle",), "small"), ("copies", ("small_copies", "device_idle"), "copies"),
                              ("healthy", (), None)):
        trace = lab.traced("planted.py", name, env={"COLUMNS": "80", "LC_ALL": "C.UTF-8"})
        rows = [row for row in trace.report()["stands_out"] if row["option"] == "cuda"]
        lab.note(f"---- {name}\n" + trace.done.stderr)
        lab.note(json.dumps(rows))
        if not rules:
            failed += [name] if any(row["rule"] == "small_copies" for row in rows) else []
        elif not any(row["rule"] in rules and row["line"] == line_of(line) for row in rows):
            failed.append(name)
    assert not failed, failed


@check
def doctor(lab):
    text = lab.run(lab.command, "doctor").stdout
    found = [line for line in text.splitlines() if re.search("cuda|cupti|gpu", line, re.I)]
    lab.note("\n      ".join(found))
    assert found and not any(re.search(r"✗|FAIL|error", line) for line in found), text


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--build", default="build")
    options.add_argument("--python", default=shutil.which("python3"))
    options.add_argument("--keep", help="a folder for traces, which stay there")
    options.add_argument("names", nargs="*")
    options = options.parse_args()
    lab = Lab(options)
    failed = 0
    for one in checks:
        if options.names and not any(one.__name__.startswith(name) for name in options.names):
            continue
        lab.notes = []
        try:
            one(lab)
            result = "ok"
        except Missing as missing:
            result = f"passed over: {missing}"
        except Exception as error:  # the next check is made all the same
            failed += 1
            result = f"FAILED: {type(error).__name__}: {error}"
        print(f"{one.__name__}: {result}", *lab.notes, sep="\n    ", flush=True)
    if not options.keep:
        shutil.rmtree(lab.folder, ignore_errors=True)
    print(f"{failed} failed" if failed else "all passed")
    return 1 if failed else 0


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(main())
