"""C that calls Python: sorted, map, filter, reduce, max, re.sub, itertools, comprehensions, __del__."""
import gc
import itertools
import re

gc.disable()


def key(value):
    return -value


class Ordered:
    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        return self.value < other.value

    def __eq__(self, other):
        return self.value == other.value

    def __hash__(self):
        return hash(self.value)

    def __iter__(self):
        return iter([self.value])

    def __len__(self):
        return 1

    def __getitem__(self, index):
        return index

    def __add__(self, other):
        return Ordered(self.value + other.value)

    def __contains__(self, value):
        return value == self.value

    @property
    def doubled(self):
        return twice(self.value)

    def __getattr__(self, name):
        if name.startswith("missing"):
            raise AttributeError(name)
        return name


class Dying:
    def __del__(self):
        twice(1)


def twice(value):
    return 2 * value


def replace(match):
    return match.group(0).upper()


def main():
    for _ in range(3):
        sorted([3, 1, 2], key=key)
        sorted([Ordered(2), Ordered(1)])
        list(map(key, [1, 2])), list(filter(key, [0, 1]))
        max([1, 2], key=key), min([1, 2], key=lambda value: value)
        re.sub("b", replace, "abcb")
        list(itertools.starmap(pow, [(2, 3)])), list(itertools.takewhile(key, [1, 0]))
        list(itertools.chain.from_iterable([[1], [2]]))
        [twice(number) for number in range(3)], {number: twice(number) for number in range(2)}
        (lambda *arguments: len(arguments))(*[1, 2], **{})
        pair = Ordered(1) + Ordered(2)
        assert pair.doubled == 6 and pair.anything == "anything"
        len(pair), list(pair), pair[2], 3 in pair, {pair: 1}[pair]
        getattr(pair, "missing_one", None), hasattr(pair, "missing_two")
        "{:>5}".format(1), "a,b".split(","), b"x".hex(), (1).bit_length(), print("", end="")
        any(twice(number) for number in (0, 1)), isinstance(1, (int, str))
        "".join(str(x) for x in (1, 2))
        open(__file__).close()
        dying = [Dying()]
        dying.clear()
        [].append(1), {}.get(1), set().add(1), "x".upper()


re.sub("b", replace, "abc")
main()
