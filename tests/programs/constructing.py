"""Classes: construction, __new__, metaclasses, __init_subclass__, descriptors, wrong arguments."""
import collections
import enum
import gc

gc.disable()


class Meta(type):
    def __new__(mcs, name, bases, namespace, **options):
        return super().__new__(mcs, name, bases, namespace)

    def __init__(cls, name, bases, namespace, **options):
        super().__init__(name, bases, namespace)

    def __call__(cls, *arguments):
        return super().__call__(*arguments)


class WithMeta(metaclass=Meta):
    def __init__(self, value):
        self.value = value


class Plain:
    def __init__(self, value, more=None):
        self.value = value
        self.more = more

    def __repr__(self):
        return "Plain(%r)" % (self.value,)


class Same:
    instance = None

    def __new__(cls):
        if cls.instance is None:
            cls.instance = super().__new__(cls)
        return cls.instance


class Number(int):
    def __new__(cls, value):
        return super().__new__(cls, value)

    def double(self):
        return type(self)(self * 2)


class Items(list):
    def add(self, item):
        self.append(item)
        return super().append(item)


class Described:
    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, instance, owner):
        return 5


class Base:
    def __init_subclass__(cls, **options):
        super().__init_subclass__()


def raises(function, *arguments):
    try:
        function(*arguments)
    except TypeError:
        return True
    return False


def local_classes():
    class Local(Base, option=1):
        field = Described()

        def method(self):
            return self.field

        @classmethod
        def made(cls):
            return cls()

        @staticmethod
        def still():
            return 1

        def __call__(self, number):
            return number

    local = Local.made()
    return local.method() + Local.still() + local(3)


def main():
    for _ in range(3):
        WithMeta(1)
        repr(Plain(1, more=2))
        Same(), Same()
        Number(5).double()
        items = Items()
        items.add(1)
        items.extend((1, 2))
        Items.append(items, 3)
        local_classes()
        assert raises(Plain) and raises(Plain, 1, 2, 3) and raises(Same, 1) and raises(raises)
        Point = collections.namedtuple("Point", "x y")
        Point(1, 2)._replace(x=3)
        enum.Enum("Colour", "red green")
        type("Made", (Base,), {"f": lambda self: 1})().f()
        collections.OrderedDict(a=1).move_to_end("a")
        dict.fromkeys([1, 2])
        str.maketrans("a", "b")
        object.__new__(Plain)


main()
