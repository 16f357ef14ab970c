"""A signal handler that raises: where the interpreter looks for signals, on entry to a function included."""
import ctypes
import gc
import signal

gc.disable()
libc_raise = ctypes.CDLL(None)["raise"]


class Interrupted(Exception):
    pass


def handler(number, frame):
    raise Interrupted(number)


def entered(value):
    return value


def on_entry():
    """C calls C that raises the signal, then a Python function: it is seen as that one is entered."""
    try:
        list(map(entered, map(libc_raise, [signal.SIGUSR1])))
    except Interrupted:
        return True


def after_call():
    try:
        libc_raise(signal.SIGUSR1)
    except Interrupted:
        return True


def quiet(number, frame):
    return None


def main():
    signal.signal(signal.SIGUSR1, handler)
    for _ in range(3):
        assert on_entry()
        assert after_call()
    signal.signal(signal.SIGUSR1, quiet)
    libc_raise(signal.SIGUSR1)
    entered(1)


main()
