"""Wheels that carry a libgomp of their own: their parallel regions are seen, and their results stay.

The virtual environments are made once, under build/venv. PyTorch for CPUs is not on PyPI: it comes from
PIP_FIND_LINKS, or from the index that PyTorch has for it.
"""
import os
import subprocess

import pytest

from support import native, places
from support.pythons import pythons

SKLEARN = ("scikit-learn",)
TORCH = ("torch==2.13.0+cpu", "numpy")
TORCH_INDEX = "https://download.pytorch.org/whl/cpu"

FIT = """
import numpy
from sklearn.cluster import KMeans
from sklearn.ensemble import HistGradientBoostingClassifier

def boost(x, y):
    model = HistGradientBoostingClassifier(max_iter=8, random_state=0)
    model.fit(x, y)
    return model.predict_proba(x)

def cluster(x):
    return KMeans(4, n_init=2, random_state=0).fit(x).inertia_

random = numpy.random.default_rng(0)
x = random.normal(size=(3000, 16))
y = (x[:, 0] + x[:, 1] ** 2 > 1).astype(int)
print("%.9f %.6f" % (boost(x, y).sum(), cluster(x)))
"""

STEP = """
import torch

def step(model, optimizer, x, y):
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    return loss.item()

torch.manual_seed(0)
torch.set_num_threads(2)
model = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 10))
optimizer = torch.optim.SGD(model.parameters(), 0.1)
x, y = torch.randn(512, 256), torch.randint(0, 10, (512,))
losses = [step(model, optimizer, x, y) for _ in range(5)]
print("%.6f" % losses[-1])
"""


# Counts regions of the extensions' libgomps by itself, from the same place. (Where there is one of them.)
COUNTER = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
typedef void (*parallel)(void (*)(void *), void *, unsigned, unsigned);
static long regions;
static parallel find(void *caller) {
    Dl_info info;
    struct link_map *map;
    if (!dladdr1(caller, &info, (void **)&map, RTLD_DL_LINKMAP))
        abort();
    return (parallel)dlsym(dlopen(map->l_name, RTLD_NOLOAD | RTLD_LAZY), "GOMP_parallel");
}
void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags) {
    static parallel next;
    if (!next)
        next = find(__builtin_return_address(0));
    __atomic_fetch_add(&regions, 1, __ATOMIC_RELAXED);
    next(function, data, threads, flags);
}
__attribute__((destructor)) static void end(void) {
    if (regions)
        fprintf(stderr, "%ld regions\n", regions);
}
"""


def regions_counted(tmp_path, path, text, env):
    counter = native.build(tmp_path, "counter.so", COUNTER, "-ldl")
    done = subprocess.run([path, "-c", text], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, check=True,
                          env=dict(os.environ, LD_PRELOAD=str(counter), **env))
    return int(done.stderr.decode().split(" regions")[0].split()[-1])


def some_python(short):
    for python in pythons():
        if python.short == short:
            return python
    return places.missing("CPython " + short)


def versions(first):
    """The first version in `make test`, the others in `make check-long`."""
    others = [python.short for python in pythons() if python.short != first]
    return [first] + [pytest.param(short, marks=pytest.mark.long) for short in others]


def results(path, text, times, env):
    """What the program prints, as often as it is run without anything."""
    return {subprocess.run([path, "-c", text], stdout=subprocess.PIPE, env=dict(os.environ, **env), check=True).stdout.decode()
            for _ in range(times)}


def check(run_command, tmp_path, path, text, functions, env):
    file = tmp_path / "program.py"
    file.write_text(text)
    plain = results(path, text, 2, env)
    result = run_command(path, file, options=["--lossless", "--events", "function"], env=env, timeout=300)
    assert result.rc == 0, result.stderr
    if result.stdout not in plain:
        # Within the program's own variation: numbers that differ by no more than those of plain runs do.
        plain |= results(path, text, 4, env)
        numbers = [[float(word) for word in one.split()] for one in plain]
        for values, value in zip(zip(*numbers), (float(word) for word in result.stdout.split())):
            assert max(values) - min(values) > 0 and abs(value - values[0]) <= 4 * (max(values) - min(values))
    report = result.report("--openmp")
    caused = {}
    for region in report["regions"]:
        if region["python_file"] == str(file):
            caused[region["python_function"]] = caused.get(region["python_function"], 0) + region["calls"]
    for name in functions:
        assert caused.get(name, 0) > 0, caused
    line = [number for number, line in enumerate(text.splitlines(), 1) if "model.fit(x, y)" in line or "backward()" in line]
    assert any(region["python_line"] == line[0] for region in report["regions"])
    assert not report["not_recorded"]["discarded_events"]
    return report


@pytest.mark.wheel
@pytest.mark.parametrize("short", versions("3.11"))
def test_scikit_learn(run_command, tmp_path, short):
    """Fits with gradient boosting and k-means, whose extensions are linked with a renamed libgomp."""
    path = some_python(short).with_packages(*SKLEARN)
    env = {"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"}
    report = check(run_command, tmp_path, path, FIT, ("boost", "cluster"), env)
    assert sum(region["calls"] for region in report["regions"]) == regions_counted(tmp_path, path, FIT, env)
    objects = {os.path.basename(region["object"]) for region in report["regions"]}
    assert any("hist_gradient" in region["object"] or "_gradient_boosting" in region["object"] or "histogram" in region["object"]
               for region in report["regions"]), objects


@pytest.mark.wheel
@pytest.mark.parametrize("short", versions("3.11"))
def test_pytorch(run_command, tmp_path, short, monkeypatch):
    """Five steps of a small network on CPU; PyTorch brings its libgomp in torch/lib."""
    if not os.environ.get("PIP_FIND_LINKS"):
        indexes = os.environ.get("PIP_EXTRA_INDEX_URL", "").split()
        monkeypatch.setenv("PIP_EXTRA_INDEX_URL", " ".join(indexes + [TORCH_INDEX]))
    monkeypatch.setenv("PIP_NO_COMPILE", "1")  # it has thousands of files that nobody imports here
    path = some_python(short).with_packages(*TORCH)
    env = {"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"}
    report = check(run_command, tmp_path, path, STEP, ("step",), env)
    assert any("torch" in region["object"] for region in report["regions"])
