"""Programs on the fake driver (tests/fakes/cuda). Arguments: a file for notes, and what to do, one after the other. A
note is a line of JSON for each launch: process, correlation, function and line that launched."""
import ctypes
import json
import os
import signal
import sys
import threading
import time

driver = ctypes.CDLL("libcuda.so.1")
driver.fake_cuda_correlation.restype = ctypes.c_uint32
notes = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND)


class Error(Exception):
    pass


def check(result):
    if result:
        raise Error(result)


def note(name, frame):
    line = json.dumps([os.getpid(), driver.fake_cuda_correlation(), name, frame.f_code.co_name, frame.f_lineno])
    os.write(notes, line.encode() + b"\n")


class Device:
    """A context of a device, current in the calling thread."""

    def __init__(self, number=0):
        check(driver.cuInit(0))
        self.context = ctypes.c_void_p()
        check(driver.cuDevicePrimaryCtxRetain(ctypes.byref(self.context), number))
        self.use()

    def use(self):
        check(driver.cuCtxSetCurrent(self.context))

    def kernel(self, name):
        function = ctypes.c_void_p()
        check(driver.cuModuleGetFunction(ctypes.byref(function), None, name.encode()))
        return function

    def stream(self):
        stream = ctypes.c_void_p()
        check(driver.cuStreamCreate(ctypes.byref(stream), 0))
        return stream

    def memory(self, size):
        address = ctypes.c_uint64()
        check(driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(size)))
        return address


def launch(kernel, stream=None, grid=4, block=32):
    result = driver.cuLaunchKernel(kernel, grid, 1, 1, block, 1, 1, 128, stream, None, None)
    note("launch", sys._getframe(1))
    check(result)


def launches(count="10"):
    device = Device()
    add, scale = device.kernel("_Z3addPfS_"), device.kernel("scale")
    for _ in range(int(count)):
        launch(add)
        launch(scale, block=64)


def everything():
    """A call of each kind."""
    device = Device()
    stream, other = device.stream(), device.stream()
    memory, more = device.memory(1 << 16), ctypes.c_uint64()
    host = ctypes.c_void_p()
    check(driver.cuMemHostAlloc(ctypes.byref(host), ctypes.c_size_t(4096), 0))
    size = ctypes.c_size_t(4096)
    check(driver.cuMemcpyHtoD_v2(memory, host, size))
    check(driver.cuMemcpyHtoDAsync_v2(memory, host, size, stream))
    check(driver.cuMemcpyDtoDAsync_v2(memory, memory, ctypes.c_size_t(1000), other))
    check(driver.cuMemsetD8_v2(memory, 7, ctypes.c_size_t(100)))
    check(driver.cuMemsetD32Async(memory, 0xabcd, ctypes.c_size_t(25), stream))
    module = ctypes.c_void_p()
    check(driver.cuModuleLoadData(ctypes.byref(module), b"image"))
    launch(device.kernel("kernel<int>"), stream)
    event = ctypes.c_void_p()
    check(driver.cuEventCreate(ctypes.byref(event), 0))
    check(driver.cuEventRecord(event, stream))
    check(driver.cuStreamWaitEvent(other, event, 0))
    driver.cuEventQuery(event)
    check(driver.cuEventSynchronize(event))
    check(driver.cuMemcpyDtoHAsync_v2(host, memory, size, other))
    check(driver.cuMemAllocAsync(ctypes.byref(more), ctypes.c_size_t(2048), stream))
    check(driver.cuMemFreeAsync(more, stream))
    driver.cuStreamQuery(other)
    check(driver.cuStreamSynchronize(other))
    check(driver.cuMemcpyDtoH_v2(host, memory, size))
    check(driver.cuCtxSynchronize())
    check(driver.cuEventDestroy_v2(event))
    check(driver.cuStreamDestroy_v2(stream))
    check(driver.cuModuleUnload(module))
    check(driver.cuMemFree_v2(memory))
    check(driver.cuMemFreeHost(host))


def graph(times="3"):
    device = Device()
    stream, captured, executable = device.stream(), ctypes.c_void_p(), ctypes.c_void_p()
    node = device.kernel("node")
    check(driver.cuStreamBeginCapture_v2(stream, 0))
    for _ in range(4):
        check(driver.cuLaunchKernel(node, 2, 1, 1, 32, 1, 1, 0, stream, None, None))
    check(driver.cuMemsetD32Async(device.memory(64), 1, ctypes.c_size_t(16), stream))
    check(driver.cuStreamEndCapture(stream, ctypes.byref(captured)))
    check(driver.cuGraphInstantiateWithFlags(ctypes.byref(executable), captured, ctypes.c_ulonglong(0)))
    for _ in range(int(times)):
        check(driver.cuGraphLaunch(executable, stream))
        note("graph", sys._getframe())
    check(driver.cuStreamSynchronize(stream))


def threads(count="4", times="50"):
    """Each thread has a stream; all launch at one time."""
    device = Device()

    def work():
        device.use()
        stream, kernel = device.stream(), device.kernel("threaded")
        for _ in range(int(times)):
            launch(kernel, stream)
        check(driver.cuStreamSynchronize(stream))

    all_of_them = [threading.Thread(target=work) for _ in range(int(count))]
    for thread in all_of_them:
        thread.start()
    for thread in all_of_them:
        thread.join()


def devices():
    for number in range(2):
        device = Device(number)
        launch(device.kernel("on_%d" % number))
        check(driver.cuCtxSynchronize())


def contexts():
    """A context that is gone before the records of its work come."""
    check(driver.cuInit(0))
    for number in range(3):
        context, function = ctypes.c_void_p(), ctypes.c_void_p()
        check(driver.cuCtxCreate_v2(ctypes.byref(context), 0, 0))
        check(driver.cuModuleGetFunction(ctypes.byref(function), None, b"brief_%d" % number))
        launch(function)
        check(driver.cuCtxDestroy_v2(context))


def fails():
    """A launch that CUDA refuses, and memory that is not there."""
    device = Device()
    for what in (lambda: launch(device.kernel("wide"), block=2048), lambda: device.memory(1 << 50)):
        try:
            what()
        except Error as error:
            print("error", error)


def sticky():
    device = Device()
    try:
        for _ in range(100):
            launch(device.kernel("broken"))
        check(driver.cuCtxSynchronize())
    except Error as error:
        print("error", error)


def fork(what="launches"):
    """The child does `what`; after the parent has waited for it, so does it."""
    pid = os.fork()
    if pid:
        assert os.waitpid(pid, 0)[1] == 0
    globals()[what]()
    if not pid:
        sys.stdout.flush()
        sys.exit(0)


def forked_after():
    """CUDA has started: in the child each call fails."""
    device = Device()
    kernel = device.kernel("parents")
    launch(kernel)
    pid = os.fork()
    if not pid:
        try:
            launch(kernel)
        except Error as error:
            print("error", error, flush=True)
        sys.exit(0)
    assert os.waitpid(pid, 0)[1] == 0
    launch(kernel)


def again(path):
    """Another program in this process, which begins anew."""
    os.execv(sys.executable, [sys.executable, __file__, path, "launches", "2"])


def steps(folder, *files):
    """A launch; then for each file, when it is there, another, from a line that all have in common."""
    device = Device()
    kernel = device.kernel("step")
    launch(kernel)
    print(os.getpid(), flush=True)
    for number, file in enumerate(files):
        while not os.path.exists(os.path.join(folder, file)):
            time.sleep(0.002)
        for _ in range(number + 2):
            launch(kernel)
        check(driver.cuCtxSynchronize())
        print("did", number + 2, flush=True)


def until(folder):
    """Launches until there is a file `stop`, and says how many."""
    device = Device()
    kernel, count = device.kernel("steady"), 0
    print(os.getpid(), flush=True)
    while not os.path.exists(os.path.join(folder, "stop")):
        launch(kernel)
        count += 1
        time.sleep(0.001)
    print(count)


def modes(*wanted):
    import pinsight
    device = Device()
    kernel = device.kernel("switched")
    for mode in wanted:
        pinsight.set_mode("CUDA", mode)
        for _ in range(5):
            launch(kernel)
        check(driver.cuCtxSynchronize())
        print(mode)


def load(library):
    """A profiler of the program's own; see test_cuda_recorder_bad.py."""
    global profiler
    profiler = ctypes.CDLL(library)


def profile():
    print("subscribe", profiler.profile_start(), flush=True)


def profiled():
    print("kernels", profiler.profile_stop(), flush=True)


def slow(ms):
    """A kernel that is under way when the program goes on."""
    launch(Device().kernel("slow"), grid=1000 * int(ms))


def busy(folder, threads_of_them="4"):
    """Threads launch until there is a file `stop`."""
    device = Device()
    counts = []

    def work():
        device.use()
        stream, kernel, count = device.stream(), device.kernel("busy"), 0
        while not os.path.exists(os.path.join(folder, "stop")):
            check(driver.cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, stream, None, None))
            count += 1
            if count % 8 == 0:
                check(driver.cuStreamSynchronize(stream))
        counts.append(count)

    all_of_them = [threading.Thread(target=work) for _ in range(int(threads_of_them))]
    print(os.getpid(), flush=True)
    for thread in all_of_them:
        thread.start()
    for thread in all_of_them:
        thread.join()
    check(driver.cuCtxSynchronize())
    print("launched", sum(counts), flush=True)


def leave():
    os._exit(3)


def killed():
    os.kill(os.getpid(), signal.SIGKILL)


def exception():
    raise RuntimeError("as the program has it")


def synchronize():
    check(driver.cuCtxSynchronize())


def pause():
    time.sleep(0.1)


def main(words):
    names = {name for name, value in globals().items() if callable(value) and name[0].islower()}
    while words:
        name, arguments = words[0], []
        del words[0]
        while words and words[0] not in names:
            arguments.append(words.pop(0))
        globals()[name](*arguments)


main(sys.argv[2:])
