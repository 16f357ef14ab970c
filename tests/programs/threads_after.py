"""Threads of threading and of _thread, one after the other and at the same time; exits and errors in them."""
import gc
import sys
import threading
import _thread

gc.disable()
# Who waits for whom is the same in each run: nobody gives way unasked.
sys.setswitchinterval(10)
threading.excepthook = lambda *arguments: None
sys.unraisablehook = lambda *arguments: None


def work(number):
    return number if number == 0 else len([1] * number) + work(number - 1)


def leaves(number):
    work(number)
    sys.exit(3)


def fails(number):
    work(number)
    raise ValueError(number)


def bare(number, done):
    work(number)
    done.release()


def waits(barrier, number):
    barrier.wait()
    for _ in range(20):
        work(number)


class Worker(threading.Thread):
    def run(self):
        work(4)


def together(barrier, ready, go, number):
    ready.release()
    with go:
        pass
    for _ in range(50):
        work(number)


def main():
    for number, target in ((3, work), (4, leaves), (5, fails)):
        thread = threading.Thread(target=target, args=(number,))
        thread.start()
        thread.join()
    worker = Worker(name="worker")
    worker.start()
    worker.join()
    done = _thread.allocate_lock()
    done.acquire()
    _thread.start_new_thread(bare, (6, done))
    done.acquire()


main()
