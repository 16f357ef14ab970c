"""pinsight doctor about CUDA: drivers and libcuptis that tests build, whatever this machine has."""
import os
import signal
import shutil
import subprocess

import pytest

from support import native, places
from test_doctor import findings, libdir, only  # noqa: F401

DRIVER = """
#include <stdio.h>
#include <unistd.h>
int cuDriverGetVersion(int *version) { *version = VERSION; return 0; }
int cuInit(unsigned flags) { INIT; }
int cuGetErrorName(int error, const char **name) { *name = "CUDA_ERROR_OF_TESTS"; return 0; }
int cuDeviceGetCount(int *count) { *count = 18; return 0; }
int cuDeviceGet(int *device, int i) { *device = 7 * i; return 0; }
int cuDeviceGetName(char *name, int room, int device) { snprintf(name, room, "Model\\t%d", device); return 0; }
"""
CUPTI = """
int cuptiGetVersion(unsigned *version) { *version = VERSION; return 0; }
int cuptiSubscribe(void **subscriber, void *callback, void *data) { return 0; }
int cuptiActivityEnable(int kind) { return kind == 10 ? ENABLE : 1; }
int cuptiGetResultString(int result, const char **text) { *text = "CUPTI_ERROR_OF_TESTS"; return 0; }
"""


def build_driver(folder, version=12080, init="return 0"):
    native.build(folder, "libcuda.so.1", DRIVER.replace("VERSION", str(version)).replace("INIT", init))
    return {"LD_LIBRARY_PATH": str(folder)}


def build_cupti(folder, version=28, enable=0, name="libcupti.so.12"):
    return native.build(folder, name, CUPTI.replace("VERSION", str(version)).replace("ENABLE", str(enable)))


@pytest.fixture
def cuda(monkeypatch):
    """cuda(words…, env={…}) is what is said of CUDA; no variable of the machine's own plays a part."""
    for name in ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "NVHPC_CUDA_HOME", "CONDA_PREFIX", "CUDA_VISIBLE_DEVICES", "PINSIGHT_CUPTI",
                 "CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "NSYS_PROFILING_SESSION_ID"):
        monkeypatch.delenv(name, raising=False)

    def of_cuda(*words, **how):
        return [one for one in findings(*(words or ("--", "true")), **how) if one["area"] == "CUDA"]
    return of_cuda


def test_a_driver_and_its_devices(cuda, tmp_path):
    found = cuda(env=build_driver(tmp_path, 13000))
    (driver,) = only(found, "driver")
    assert driver["level"] == "ok" and driver["text"].endswith("has CUDA 13.0")
    devices = [one["text"] for one in only(found, "devices", "ok")]
    assert devices[1] == "device 1: Model\t7" and len(devices) == 17 and devices[16] == "and 2 devices more"


def test_no_driver(cuda, tmp_path):
    (tmp_path / "libcuda.so.1").write_text("no library\n")
    (driver,) = only(cuda(env={"LD_LIBRARY_PATH": str(tmp_path)}), "driver")
    assert driver["level"] in ("note", "warning") and "libcuda.so.1" in driver["text"]
    native.build(tmp_path, "libcuda.so.1", "int cuInit(unsigned flags) { return 0; }")
    (driver,) = only(cuda(env={"LD_LIBRARY_PATH": str(tmp_path)}), "driver")
    assert driver["level"] in ("note", "warning") and "is no driver" in driver["text"]


@pytest.mark.parametrize("error, fix", [(100, "CUDA_VISIBLE_DEVICES"), (803, "restart"), (34, "stubs"), (802, "fabricmanager"),
                                        (999, "nvidia-smi")])
def test_a_driver_that_refuses(error, fix, cuda, tmp_path):
    found = cuda(env=dict(build_driver(tmp_path, init="return %d" % error), CUDA_VISIBLE_DEVICES="none"))
    assert only(found, "driver", "ok")
    (device,) = only(found, "devices")
    assert device["level"] == "warning" and fix in device["fix"]
    assert "CUDA_ERROR_OF_TESTS (CUDA_VISIBLE_DEVICES=none)" in device["text"]


@pytest.mark.parametrize("init, says", [("return *(volatile int *)8", "crashes"), ("_exit(3)", "has CUDA 12.8")])
def test_a_driver_that_ends_its_process(init, says, cuda, tmp_path):
    """Nothing of that comes into the command's own process."""
    assert says in only(cuda(env=build_driver(tmp_path, init=init)), "driver")[0]["text"]


@pytest.mark.long
def test_a_driver_that_hangs(cuda, tmp_path):
    (driver,) = only(cuda(env=build_driver(tmp_path, init="pause(); return 0")), "driver")
    assert driver["level"] == "warning" and "does not answer" in driver["text"] and "--domains python,openmp,mpi" in driver["fix"]


@pytest.mark.parametrize("version, enable, level, says", [
    (28, 0, "ok", "is of CUDA 12.9, and records with this driver"),
    (130001, 0, "warning", "is of CUDA 13.0, and the driver has CUDA 12.8: it is too new"),
    (18, 0, "warning", "is older than CUDA 12.0"),
    (29, 0, "ok", "is of a version that PInsight does not know (29), and records with this driver"),
    (28, 35, "warning", "of CUDA 12.9, refuses to record: CUPTI_ERROR_OF_TESTS"),
    (28, "*(volatile int *)8", "warning", "crashes the process that opens it"),
])
def test_a_libcupti_and_the_driver(version, enable, level, says, cuda, tmp_path):
    env = dict(build_driver(tmp_path / "driver"), PINSIGHT_CUPTI=str(build_cupti(tmp_path / "named", version, enable, "mine.so")))
    (found,) = only(cuda(env=env), "cupti")
    assert found["level"] == level and str(tmp_path / "named") in found["text"] and says in found["text"]


def test_no_libcupti_that_opens(cuda, tmp_path):
    """What is named and cannot be opened is passed over, as in a process; it is named where there is nothing else."""
    (tmp_path / "mine.so").write_text("")
    (found,) = only(cuda(env=dict(build_driver(tmp_path), PINSIGHT_CUPTI=str(tmp_path / "mine.so"))), "cupti")
    assert found["level"] == "ok" or "mine.so cannot be used" in found["text"], found


def test_a_libcupti_without_a_driver(cuda, tmp_path):
    """On a login node the version is said, and nothing is tried."""
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "libcuda.so.1").write_text("")
    env = {"LD_LIBRARY_PATH": str(tmp_path / "none"), "PINSIGHT_CUPTI": str(build_cupti(tmp_path, 130000, 35, "mine.so"))}
    (found,) = only(cuda(env=env), "cupti")
    assert found["level"] == "ok" and found["text"] == "%s is of CUDA 13.0" % (tmp_path / "mine.so")


def test_packages_of_a_python(cuda, newest, tmp_path):
    """Of two that the packages bring, the one that the driver can serve; and PyTorch's profiler is named."""
    site = tmp_path / "site"
    build_cupti(site / "nvidia" / "cu13" / "lib", 130000, 0, "libcupti.so.13")
    twelve = build_cupti(site / "nvidia" / "cuda_cupti" / "lib", 26, 0, "libcupti.so.12")
    (site / "torch" / "lib").mkdir(parents=True)
    (site / "torch" / "lib" / "libtorch_cuda.so").write_text("")
    words = ("--", newest.path, "-S", "app.py")
    env = dict(build_driver(tmp_path / "driver"), PYTHONPATH=str(site))
    found = cuda(*words, env=env)
    (own,) = [one for one in only(found, "cupti") if newest.path in one["text"]]
    assert own["level"] == "ok" and "%s is of CUDA 12.8" % twelve in own["text"]
    (torch,) = only(found, "torch")
    assert torch["level"] == "note" and "torch.profiler" in torch["text"]
    shutil.rmtree(str(site / "nvidia" / "cuda_cupti"))
    (own,) = [one for one in only(cuda(*words, env=env), "cupti") if newest.path in one["text"]]
    assert own["level"] == "warning" and "too new" in own["text"] and "nvidia-cuda-cupti-cu12" in own["fix"]


def test_other_profilers(cuda, tmp_path):
    env = {"CUDA_INJECTION64_PATH": "/opt/tool.so", "NVTX_INJECTION64_PATH": "/opt/ranges.so", "NSYS_PROFILING_SESSION_ID": "1"}
    found = [(one["text"], one["fix"]) for one in only(cuda(env=env), "profilers", "warning")]
    assert len(found) == 3
    assert "/opt/tool.so" in found[0][0] and found[0][1] == "unset CUDA_INJECTION64_PATH"
    assert "/opt/ranges.so" in found[1][0] and "Nsight Systems" in found[2][0]
    own = dict.fromkeys(["CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"], str(places.LIBDIR / "libpinsight-cuda.so"))
    assert only(cuda(env=own), "profilers", "warning") == []
    assert only(cuda(env=dict.fromkeys(own, "")), "profilers", "warning") == []


def test_no_tool_comes_into_what_is_asked(cuda, tmp_path):
    """A driver opens what CUDA_INJECTION64_PATH names; the one that is only looked at does not."""
    env = build_driver(tmp_path, init='extern char *getenv(const char *); return getenv("CUDA_INJECTION64_PATH") ? 999 : 0')
    assert only(cuda(env=dict(env, CUDA_INJECTION64_PATH="/opt/tool.so")), "devices", "ok")


def test_a_profiler_that_runs(cuda, tmp_path):
    shutil.copy(shutil.which("sleep"), str(tmp_path / "nsys"))
    process = subprocess.Popen([str(tmp_path / "nsys"), "60"])
    try:
        notes = [one for one in only(cuda(), "profilers", "note") if "(process %d)" % process.pid in one["text"]]
        assert len(notes) == 1 and notes[0]["text"].startswith("nsys runs")
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


def test_without_the_recorder(cuda, libdir):  # noqa: F811
    assert only(cuda(env={"PINSIGHT_LIBDIR": str(libdir)}), "files") == []
    os.remove(str(libdir / "libpinsight-cuda.so"))
    (lost,) = only(cuda(env={"PINSIGHT_LIBDIR": str(libdir)}), "files")
    assert lost["level"] == "warning" and "CUDA is not recorded" in lost["text"]
