"""A training loop on the fake driver whose device waits for its data. Argument: how the data is loaded."""
import ctypes
import multiprocessing
import queue
import sys
import threading
import time

driver = ctypes.CDLL("libcuda.so.1")
STEPS = 6


def load_batch():
    time.sleep(0.03)
    return b"batch"


def in_turn():
    for _ in range(STEPS):
        yield load_batch()


def from_a_thread():
    batches = queue.Queue(1)
    threading.Thread(target=lambda: [batches.put(load_batch()) for _ in range(STEPS)], daemon=True).start()
    for _ in range(STEPS):
        yield batches.get()


def worker(batches):
    for _ in range(STEPS):
        batches.put(load_batch())


def from_a_process():
    batches = multiprocessing.get_context("spawn").Queue(1)
    process = multiprocessing.get_context("spawn").Process(target=worker, args=(batches,))
    process.start()
    for _ in range(STEPS):
        yield batches.get()
    process.join()


def train(batches, kernel):
    for _ in batches:
        for _ in range(3):
            driver.cuLaunchKernel(kernel, 4, 1, 1, 32, 1, 1, 0, None, None, None)
        driver.cuCtxSynchronize()


def main():
    context, kernel = ctypes.c_void_p(), ctypes.c_void_p()
    driver.cuInit(0)
    driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
    driver.cuCtxSetCurrent(context)
    driver.cuModuleGetFunction(ctypes.byref(kernel), None, b"_Z5stepsPf")
    train({"turn": in_turn, "thread": from_a_thread, "process": from_a_process}[sys.argv[1]](), kernel)


if __name__ == "__main__":
    main()
