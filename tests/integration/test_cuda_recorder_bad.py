"""The CUDA recorder where something is missing, refused or taken: one clear message, and the program as without PInsight."""
import re
import subprocess

import pytest

from support import fake_cuda, native, nvidia, places
from support.fake_cuda import Run, assert_calls, assert_no_misuse, environment
from test_cuda_recorder import BOTH, OPTIONS, traced  # noqa: F401


def messages(run):
    """What is said of CUDA, each line once."""
    lines = [line for line in run.result.stderr.splitlines() if line.startswith("pinsight:") and "the trace is in" not in line]
    assert len(set(lines)) == len(lines)
    return lines


def assert_one_message(run, text):
    (message,) = messages(run)
    assert re.search(text, message), message


def assert_as_without(run, launches):
    """The program did what it does; the calls of Python are in the trace."""
    assert len([note for note in run.notes if note[2] == "launch"]) == launches
    assert run.by_name["begin"] or run.by_name["function_begin"] or run.by_name["code_info"]


@BOTH
def test_no_cupti(traced, tmp_path):
    """The file that is named is not there, and neither is another."""
    run = traced("launches", "3", version=None, env={"PINSIGHT_CUPTI": str(tmp_path / "nothing.so"), "CUDA_HOME": "",
                                                     "LD_LIBRARY_PATH": str(fake_cuda.FOLDER / "cuda")})
    if run.log["cupti"]:
        pytest.skip("there is a CUPTI on this machine")
    if run.log["subscribed"] or not messages(run):
        pytest.fail("%s" % run.result.stderr)
    assert_as_without(run, 6)
    assert len(messages(run)) == 1 and "CUDA" in messages(run)[0]


@BOTH
def test_not_a_cupti(traced, tmp_path):
    """The file that is named is another library."""
    other = native.build(tmp_path, "libcupti.so.13", "int cuptiGetVersion(unsigned *version) { *version = 130000; return 0; }")
    run = traced("launches", "3", version=None, env={"PINSIGHT_CUPTI": str(other)})
    assert_as_without(run, 6)
    assert len(messages(run)) == 1 and "CUDA" in messages(run)[0]


@BOTH
@pytest.mark.parametrize("options, text", [("subscribe=39", "another profiler"), ("subscribe=999", r"CUPTI.*999")])
def test_refused(traced, options, text):
    run = traced("launches", "3", "everything", "synchronize", cupti=options)
    assert_one_message(run, text)
    assert_as_without(run, 7)
    assert not run.calls() and not run.log["enabled"]


@BOTH
def test_no_privileges(traced):
    """The driver lets administrators alone look at devices: calls are recorded all the same."""
    run = traced("launches", "3", "everything", "synchronize", cupti="privileges")
    assert_one_message(run, "administrators")
    assert_calls(run)
    assert len(run.calls("cudaKernelLaunch")) == 7 and not run.activities()


@BOTH
def test_another_tool(traced, tmp_path):
    """CUDA_INJECTION64_PATH names another tool, which keeps its place."""
    tool = native.build(tmp_path, "tool.so", "int InitializeInjection(void) { return 1; }")
    run = traced("launches", "3", env={"CUDA_INJECTION64_PATH": str(tool)})
    assert_one_message(run, "CUDA_INJECTION64_PATH names another tool")
    assert run.log["injection"][0]["path"] == str(tool) and not run.calls()


@pytest.mark.parametrize("version", [29, 77, 150000])
def test_unknown_version(traced, version):
    """A CUPTI whose number is unknown has the functions that are needed, and is used."""
    run = traced("launches", "3", "synchronize", cupti="version=%d" % version)
    assert not messages(run)
    assert_calls(run)
    assert len(run.by_name["cudaKernelActivity"]) == 6
    (info,) = [event for event in run.by_name["domain_info"] if event.fields["domain"] == "CUDA"]
    assert "CUPTI" in info.fields["mechanism"] and run.by_name["device_clock"]


def test_later_than_the_driver(traced):
    """The CUPTI that is named is used, whatever the driver's version."""
    run = traced("launches", "3", "synchronize", version=14, device="driver=12040")
    assert not messages(run) and len(run.by_name["cudaKernelActivity"]) == 6


@BOTH
def test_nothing_is_handed_over(traced):
    """CUPTI hangs on to its records: the run ends all the same, and says what is missing."""
    run = traced("launches", "5", cupti="stuck,late=100000")
    assert_no_misuse(run)
    assert len(run.calls("cudaKernelLaunch")) == 10 and not run.activities()


PROFILER = """
#include <stdint.h>
#include <stdlib.h>
extern int cuptiSubscribe(void **subscriber, void (*callback)(void *, int, unsigned, const void *), void *user);
extern int cuptiUnsubscribe(void *subscriber), cuptiActivityEnable(int kind), cuptiActivityDisable(int kind);
extern int cuptiActivityRegisterCallbacks(void (*)(uint8_t **, size_t *, size_t *),
                                          void (*)(void *, uint32_t, uint8_t *, size_t, size_t));
extern int cuptiActivityFlushAll(uint32_t flag), cuptiActivityGetNextRecord(uint8_t *, size_t, uint32_t **);
static void *subscriber;
static int kernels, strange;
static uint8_t *mine[16];
static void called(void *user, int domain, unsigned number, const void *data) {}
static void requested(uint8_t **buffer, size_t *size, size_t *most) {
    for (int i = 0; i < 16; i++)
        if (!mine[i]) {
            *buffer = mine[i] = aligned_alloc(8, *size = 65536);
            *most = 0;
            return;
        }
    abort();
}
static void completed(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid) {
    uint32_t *record = 0;
    int i = 0;
    while (i < 16 && mine[i] != buffer)
        i++;
    if (i == 16) {
        strange++;
        return;
    }
    while (cuptiActivityGetNextRecord(buffer, valid, &record) == 0)
        kernels += *record == 10;
    free(buffer);
    mine[i] = 0;
}
int profile_start(void) {
    int result = cuptiSubscribe(&subscriber, called, 0);
    if (!result) {
        cuptiActivityRegisterCallbacks(requested, completed);
        cuptiActivityEnable(10);
    }
    return result;
}
int profile_stop(void) {
    cuptiActivityFlushAll(1);
    cuptiActivityDisable(10);
    cuptiUnsubscribe(subscriber);
    return strange ? -strange : kernels;
}
"""


@BOTH
def test_profiler_of_the_program(traced, tmp_path):
    """The program's own profiler gets what it would have without PInsight; what was before is in the trace, and that something
    is missing."""
    cupti = fake_cuda.cupti()
    library = native.build(tmp_path, "profiler.so", PROFILER, cupti, "-Wl,-rpath,%s" % cupti.rpartition("/")[0])
    words = ["load", str(library), "launches", "5", "pause", "profile", "launches", "4", "synchronize", "profiled", "launches", "3"]
    run = traced(*words)
    assert run.result.stdout == "subscribe 0\nkernels 8\n"
    assert_one_message(run, "profiler of its own")
    assert_no_misuse(run)
    assert len(run.calls("cudaKernelLaunch")) == 10 == len(run.by_name["cudaKernelActivity"])
    (lost,) = run.by_name["device_lost"]
    assert lost.fields["cause"] == 2


@BOTH
def test_profiler_while_kernels_run(traced, tmp_path):
    """None of our buffers comes to the other profiler, though a kernel was under way."""
    cupti = fake_cuda.cupti()
    library = native.build(tmp_path, "profiler.so", PROFILER, cupti, "-Wl,-rpath,%s" % cupti.rpartition("/")[0])
    run = traced("load", str(library), "slow", "300", "profile", "launches", "4", "synchronize", "profiled")
    assert run.result.stdout == "subscribe 0\nkernels 8\n"
    assert_no_misuse(run)
    assert len(run.calls("cudaKernelLaunch")) == 1


@BOTH
@pytest.mark.parametrize("end, rc", [("pause", 0), ("leave", 3), ("exception", 1)])
def test_exit_without_synchronising(traced, end, rc):
    """A kernel is under way when the program ends: its record has no times, and the program waits for nothing."""
    run = traced("launches", "2", "slow", "60000", "pause", end, rc=rc)
    assert_no_misuse(run)
    assert len(run.calls("cudaKernelLaunch")) == 5
    slow = [event.fields for event in run.by_name["cudaKernelActivity"] if run.kernels[event.vpid, event.fields["kernel"]] == "slow"]
    assert len(run.by_name["cudaKernelActivity"]) == 5 and len(slow) == 1
    assert slow[0]["start"] == slow[0]["end"] == 0


@BOTH
def test_no_device(run_traced, newest, tmp_path):
    """cuInit() fails, and opens no tool."""
    result = run_traced(newest, "fake_cuda", *OPTIONS, arguments=(tmp_path / "notes", "launches"), rc=1,
                        env=environment(tmp_path, device="devices=0"))
    assert "__main__.Error: 100" in result.stderr or "Error: 100" in result.stderr
    run = Run(result, tmp_path)
    assert not messages(run) and not run.log["injection"]


# NVIDIA's own libraries, where there is no driver.

COUNT = """
#include <stdio.h>
typedef int error;
extern error cudaGetDeviceCount(int *count), cudaMalloc(void **address, unsigned long size);
extern const char *cudaGetErrorName(error which);
int main(void) {
    int count = -1;
    void *address = 0;
    error counted = cudaGetDeviceCount(&count), taken = cudaMalloc(&address, 1000);
    printf("%s %d %s\\n", cudaGetErrorName(counted), count, cudaGetErrorName(taken));
    return counted ? 3 : 0;
}
"""
INJECT = """
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char **words) {
    void *library = dlopen(words[1], RTLD_NOW);
    int (*start)(void) = library ? (int (*)(void))dlsym(library, "InitializeInjection") : 0;
    if (!start)
        return printf("%s\\n", dlerror()), 2;
    printf("%d\\n", start());
    printf("%d\\n", start());
    return count > 9;
}
"""


def has_driver():
    try:
        import ctypes
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return True


@BOTH
@pytest.mark.parametrize("version", ["12.9", "13.5"])
def test_runtime_without_a_driver(run_command, tmp_path, version):
    """A program that is linked with CUDA's runtime library does the same as without PInsight."""
    if has_driver():
        pytest.skip("there is a driver on this machine")
    cudart = nvidia.Cuda(version).cudart
    program = native.build(tmp_path, "program", COUNT, str(cudart), "-Wl,-rpath,%s" % cudart.parent)
    plain = subprocess.run([str(program)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    traced = run_command(program, options=OPTIONS)
    assert plain.returncode == 3 and "cudaError" in plain.stdout
    assert (traced.rc, traced.stdout) == (plain.returncode, plain.stdout)
    assert "CUDA" not in traced.stderr and "CUPTI" not in traced.stderr


@pytest.mark.parametrize("version", nvidia.WHEELS)
def test_cupti_without_a_driver(run_command, tmp_path, version):
    """The real libcupti finds no driver, and says so: one message, and the program goes on."""
    if has_driver():
        pytest.skip("there is a driver on this machine")
    program = native.build(tmp_path, "inject", INJECT, "-ldl")
    run = run_command(program, places.LIBDIR / "libpinsight-cuda.so", options=["--no-summary"],
                      env={"PINSIGHT_CUPTI": str(nvidia.Cuda(version).cupti)})
    assert run.rc == 0 and run.stdout == "1\n1\n", run
    said = [line for line in run.stderr.splitlines() if line.startswith("pinsight:") and "the trace is in" not in line]
    assert len(said) == 1 and "CUPTI" in said[0], run.stderr
