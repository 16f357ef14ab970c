"""Context managers: classes, contextlib, ExitStack, exceptions swallowed and passed on."""
import contextlib
import gc
import inspect  # noqa: F401  of contextlib, which from 3.15 on imports it at its first use
import threading

gc.disable()


class Manager:
    def __init__(self, swallow):
        self.swallow = swallow

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        return self.swallow


@contextlib.contextmanager
def generated(log):
    log.append("in")
    try:
        yield log
    finally:
        log.append("out")


def quiet():
    with Manager(True):
        raise ValueError("swallowed")


def loud():
    with Manager(False), Manager(False):
        raise ValueError("passed on")


def main():
    lock = threading.Lock()
    for _ in range(5):
        quiet()
        try:
            loud()
        except ValueError:
            pass
        log = []
        with generated(log) as inner:
            inner.append("body")
        try:
            with generated(log):
                raise KeyError
        except KeyError:
            pass
        with contextlib.ExitStack() as stack:
            for swallow in (False, True):
                stack.enter_context(Manager(swallow))
            stack.callback(log.append, "callback")
            raise OSError
        with contextlib.suppress(ZeroDivisionError):
            log.append(1 / 0)
        with lock:
            log.clear()


main()
