"""Exceptions: raised, caught, chained, passed through finally, raised by C."""
import gc

gc.disable()


class Trouble(Exception):
    def __init__(self, depth):
        super().__init__("trouble at %d" % depth)
        self.depth = depth


def raiser(depth):
    if depth == 0:
        raise Trouble(depth)
    try:
        raiser(depth - 1)
    finally:
        cleaned(depth)


def cleaned(depth):
    return depth


def catcher():
    try:
        raiser(5)
    except Trouble as trouble:
        return str(trouble)


def chained():
    try:
        try:
            int("not a number")
        except ValueError as error:
            raise KeyError("chained") from error
    except KeyError as error:
        try:
            raise RuntimeError("implicit")
        except RuntimeError as inner:
            return type(inner.__context__), type(error.__cause__)


def from_c():
    for wrong in (lambda: {}["none"],
                  lambda: [].pop(),
                  lambda: int("x"),
                  lambda: len(5),
                  lambda: getattr(object(), "nothing"),
                  lambda: next(iter(())),
                  lambda: (None or 5)()):
        try:
            wrong()
        except (KeyError, IndexError, ValueError, TypeError, AttributeError, StopIteration):
            cleaned(0)


def returns_in_finally():
    try:
        raiser(1)
    finally:
        return cleaned(1)  # noqa: B012


def reraised():
    try:
        raiser(2)
    except Trouble:
        cleaned(2)
        raise


def main():
    for _ in range(10):
        catcher()
        chained()
        from_c()
        returns_in_finally()
        try:
            reraised()
        except Trouble:
            pass


main()
