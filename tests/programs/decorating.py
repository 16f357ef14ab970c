"""Decorators, functools: wraps, lru_cache, partial, reduce, singledispatch, cmp_to_key."""
import functools
import gc
import operator

gc.disable()


def noisy(function):
    @functools.wraps(function)
    def wrapper(*arguments, **keywords):
        return function(*arguments, **keywords)
    return wrapper


@noisy
def add(left, right=1):
    return left + right


@functools.lru_cache(maxsize=None)
def fibonacci(number):
    return number if number < 2 else fibonacci(number - 1) + fibonacci(number - 2)


@functools.singledispatch
def kind(value):
    return "any"


@kind.register(int)
def of_int(value):
    return "int"


class Cached:
    @functools.cached_property
    def expensive(self):
        return 5

    def method(self, left, right):
        return left + right

    half = functools.partialmethod(method, 1)


def compare(left, right):
    return (left > right) - (left < right)


def main():
    for number in range(5):
        add(number, right=2)
        assert fibonacci(12) == 144
        fibonacci.cache_clear()
        assert kind(1) == "int" and kind("x") == "any"
        cached = Cached()
        assert cached.expensive == cached.expensive == 5
        assert cached.half(2) == 3
        increment = functools.partial(add, 1)
        increment(2), increment(right=3)
        functools.partial(functools.partial(max, 5), 6)(7)
        functools.partial(int, base=2)("101")
        assert functools.reduce(operator.add, range(5)) == 10
        functools.reduce(lambda left, right: left * right, [1, 2, 3])
        sorted([3, 1, 2], key=functools.cmp_to_key(compare))
        operator.itemgetter(0)([1]), operator.attrgetter("method")(cached), operator.methodcaller("upper")("a")


main()
